{{/* The Deployment of a component, given as a list: all there is, the component, its values. */}}
{{- define "plyscribe.deployment" -}}
{{- $top := index . 0 }}
{{- $component := index . 1 }}
{{- $own := index . 2 }}
{{- $has_doors := eq $component "service" }}
{{- $role := ternary "all" (ternary "web" "worker" $has_doors) (not $top.Values.worker.enabled) }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "plyscribe.nameOf" (list $top $component) }}
  labels:
    {{- include "plyscribe.labels" $top | nindent 4 }}
    app.kubernetes.io/component: {{ $component }}
spec:
  {{- if not (and $has_doors $own.autoscaling.enabled) }}
  replicas: {{ $own.replicas }}
  {{- end }}
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  selector:
    matchLabels:
      {{- include "plyscribe.selector" (list $top $component) | nindent 6 }}
  template:
    metadata:
      labels:
        {{- include "plyscribe.labels" $top | nindent 8 }}
        app.kubernetes.io/component: {{ $component }}
        {{- include "plyscribe.told" $top | nindent 8 }}
        {{- with $top.Values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- with $top.Values.podAnnotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      serviceAccountName: {{ include "plyscribe.serviceAccount" $top }}
      automountServiceAccountToken: false
      # Variables such as PLYSCRIBE_PORT, which Kubernetes makes of a Service of that name, would be
      # taken for settings.
      enableServiceLinks: false
      terminationGracePeriodSeconds: {{ $top.Values.terminationGracePeriodSeconds }}
      securityContext:
        {{- include "plyscribe.podSecurity" $top | nindent 8 }}
      {{- include "plyscribe.placement" $top | nindent 6 }}
      {{- with $top.Values.affinity }}
      affinity:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- if $top.Values.topologySpread.enabled }}
      topologySpreadConstraints:
        {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - maxSkew: 1
          topologyKey: {{ $key }}
          whenUnsatisfiable: {{ $top.Values.topologySpread.whenUnsatisfiable }}
          labelSelector:
            matchLabels:
              {{- include "plyscribe.selector" (list $top $component) | nindent 14 }}
        {{- end }}
      {{- end }}
      containers:
        - name: plyscribe
          image: {{ include "plyscribe.image" $top | quote }}
          imagePullPolicy: {{ $top.Values.image.pullPolicy }}
          args: [serve]
          env:
            {{- include "plyscribe.secrets" $top | nindent 12 }}
            {{- with $top.Values.adminKey }}
            {{- if .existingSecret }}
            {{- include "plyscribe.secretVariable" (dict "name" "PLYSCRIBE_ADMIN_KEY" "from" .) | nindent 12 }}
            {{- end }}
            {{- end }}
            {{- with $top.Values.redis }}
            {{- if .existingSecret }}
            {{- include "plyscribe.secretVariable" (dict "name" "PLYSCRIBE_REDIS_URL" "from" .) | nindent 12 }}
            {{- end }}
            {{- end }}
            - name: PLYSCRIBE_HOST
              value: "0.0.0.0"
            - name: PLYSCRIBE_PORT
              value: "8000"
            - name: PLYSCRIBE_METRICS_PORT
              value: {{ $top.Values.metrics.port | quote }}
            - name: PLYSCRIBE_WORKERS
              value: {{ $own.processes | quote }}
            - name: PLYSCRIBE_ROLE
              value: {{ $role }}
            {{- if $top.Values.gameTables.configMap }}
            - name: PLYSCRIBE_GAME_TABLES
              value: /etc/plyscribe/tables
            {{- end }}
            {{- if $top.Values.graphqlOperations.configMap }}
            - name: PLYSCRIBE_GRAPHQL_OPERATIONS
              value: /etc/plyscribe/operations/{{ $top.Values.graphqlOperations.key }}
            {{- end }}
            {{- range $name, $value := $top.Values.settings }}
            - name: PLYSCRIBE_{{ $name }}
              value: {{ include "plyscribe.plain" $value | quote }}
            {{- end }}
          ports:
            - name: http
              containerPort: 8000
            - name: metrics
              containerPort: {{ $top.Values.metrics.port }}
          startupProbe:
            httpGet:
              path: /startupz
              port: http
            periodSeconds: 2
            failureThreshold: 60
          readinessProbe:
            httpGet:
              path: /readyz
              port: http
            periodSeconds: 5
            timeoutSeconds: 3
          livenessProbe:
            httpGet:
              path: /livez
              port: http
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          {{- if $has_doors }}
          lifecycle:
            preStop:
              exec:
                # Until no proxy sends anybody here any more.
                command: [sleep, {{ $top.Values.drainSeconds | quote }}]
          {{- end }}
          {{- with $own.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          securityContext:
            {{- include "plyscribe.containerSecurity" $top | nindent 12 }}
          volumeMounts:
            - name: tmp
              mountPath: /tmp
            {{- if $top.Values.gameTables.configMap }}
            - name: tables
              mountPath: /etc/plyscribe/tables
              readOnly: true
            {{- end }}
            {{- if $top.Values.graphqlOperations.configMap }}
            - name: operations
              mountPath: /etc/plyscribe/operations
              readOnly: true
            {{- end }}
      volumes:
        - name: tmp
          emptyDir:
            sizeLimit: 64Mi
        {{- with $top.Values.gameTables.configMap }}
        - name: tables
          configMap:
            name: {{ . }}
        {{- end }}
        {{- with $top.Values.graphqlOperations.configMap }}
        - name: operations
          configMap:
            name: {{ . }}
        {{- end }}
{{- end }}
