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

{{- define "plyscribe.selector" -}}
app.kubernetes.io/name: {{ include "plyscribe.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: service
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
{{- if .Values.autoscaling.enabled }}
{{- if lt (int .Values.autoscaling.maxReplicas) (int .Values.autoscaling.minReplicas) }}
{{- fail "autoscaling.maxReplicas has to be at least autoscaling.minReplicas" }}
{{- end }}
{{- if not (dig "requests" "cpu" "" .Values.resources) }}
{{- fail "autoscaling needs resources.requests.cpu: it goes by a share of it" }}
{{- end }}
{{- end }}
{{- end }}
