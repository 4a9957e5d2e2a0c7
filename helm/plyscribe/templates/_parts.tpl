{{- define "plyscribe.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 52 | trimSuffix "-" }}
{{- end }}

{{- define "plyscribe.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains (include "plyscribe.name" .) .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "plyscribe.name" .) | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{/* Of a component, given as a list: all there is, the component. "service" has the doors; it was
     called so when there was no other, and a selector can't be changed. */}}
{{- define "plyscribe.selector" -}}
{{- $top := index . 0 -}}
app.kubernetes.io/name: {{ include "plyscribe.name" $top }}
app.kubernetes.io/instance: {{ $top.Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{/* What is called after a component, likewise. */}}
{{- define "plyscribe.nameOf" -}}
{{- include "plyscribe.fullname" (index . 0) }}{{ if ne (index . 1) "service" }}-{{ index . 1 }}{{ end }}
{{- end }}

{{/* The pods that tell metrics, and no others. */}}
{{- define "plyscribe.told" -}}
plyscribe/metrics: told
{{- end }}

{{- define "plyscribe.labels" -}}
app.kubernetes.io/name: {{ include "plyscribe.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "plyscribe.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "plyscribe.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "plyscribe.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{/* The user is the one of the Dockerfile; nothing but /tmp can be written. */}}
{{- define "plyscribe.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "plyscribe.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "plyscribe.secretVariable" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .from.existingSecret }}
      key: {{ .from.key }}
{{- end }}

{{/* What every process needs: the database and the key. */}}
{{- define "plyscribe.secrets" -}}
{{ include "plyscribe.secretVariable" (dict "name" "PLYSCRIBE_DATABASE_URL" "from" .Values.database) }}
{{ include "plyscribe.secretVariable" (dict "name" "PLYSCRIBE_SECRET_KEY" "from" .Values.secretKey) }}
{{- end }}

{{- define "plyscribe.placement" -}}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end }}

{{/* A setting as the environment has it: YAML makes floats of large whole numbers. */}}
{{- define "plyscribe.plain" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ . }}{{ end }}
{{- end }}

{{/* What a schema can't say: values that don't go together. */}}
{{- define "plyscribe.checks" -}}
{{- $least := add .Values.drainSeconds 20 }}
{{- if lt (int .Values.terminationGracePeriodSeconds) (int $least) }}
{{- fail (printf "terminationGracePeriodSeconds has to be at least drainSeconds + 20 (%d): open requests take that long" $least) }}
{{- end }}
{{- with .Values.web }}
{{- if .autoscaling.enabled }}
{{- if lt (int .autoscaling.maxReplicas) (int .autoscaling.minReplicas) }}
{{- fail "web.autoscaling.maxReplicas has to be at least web.autoscaling.minReplicas" }}
{{- end }}
{{- if not (dig "requests" "cpu" "" .resources) }}
{{- fail "web.autoscaling needs web.resources.requests.cpu: it goes by a share of it" }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
