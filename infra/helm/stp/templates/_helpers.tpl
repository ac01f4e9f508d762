{{- define "stp.image" -}}
{{- $image := index .root.Values.image .kind -}}
{{ required (printf "image.%s.repository is not set" .kind) $image.repository }}@{{ required (printf "image.%s.digest is not set" .kind) $image.digest }}
{{- end }}

{{- define "stp.labels" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{/* What every worker is told. */}}
{{- define "stp.environment" -}}
- name: TEMPORAL_ADDRESS
  value: {{ required "temporal.address is not set" .Values.temporal.address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .Values.temporal.namespace | quote }}
{{- with .Values.temporal.apiKeySecret }}
- name: TEMPORAL_API_KEY
  valueFrom:
    secretKeyRef: { name: {{ . | quote }}, key: api-key }
{{- end }}
- name: STP_STORE
  value: {{ required "store.uri is not set" .Values.store.uri | quote }}
- name: STP_METRICS_ADDRESS
  value: "0.0.0.0:9464"
{{- end }}

{{/* The pod, whoever runs in it. With `sandbox`, Lean may wall itself in there. */}}
{{- define "stp.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- if .sandbox }}
hostUsers: false
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  {{- if .sandbox }}
  seccompProfile: {{- toYaml .root.Values.sandbox.seccompProfile | nindent 4 }}
  appArmorProfile: {{- toYaml .root.Values.sandbox.appArmorProfile | nindent 4 }}
  {{- else }}
  seccompProfile: { type: RuntimeDefault }
  {{- end }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "stp.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
  {{- if .sandbox }}
  procMount: Unmasked
  {{- end }}
{{- end }}

{{/* A worker is there once its queue is polled, and alive while it gives out metrics. */}}
{{- define "stp.workerProbes" -}}
startupProbe:
  exec: { command: ["node", "infra/docker/worker-health.ts", {{ .queue | quote }}] }
  periodSeconds: 15
  timeoutSeconds: 15
  failureThreshold: 80
livenessProbe:
  httpGet: { path: /metrics, port: metrics }
  periodSeconds: 30
  timeoutSeconds: 10
  failureThreshold: 4
{{- end }}

{{- define "stp.mounts" -}}
- { name: cache, mountPath: /var/stp/cache }
- { name: scratch, mountPath: /var/stp/scratch }
- { name: tmp, mountPath: /tmp }
{{- end }}

{{/* Copies the Lean of the image to where the cache is: the file system of the image is read-only. */}}
{{- define "stp.leanCache" -}}
- name: lean
  image: {{ include "stp.image" (dict "root" .root "kind" "lean") | quote }}
  command: ["cp", "-a", "/opt/stp/cache/.", "/var/stp/cache/"]
  {{- include "stp.containerSecurity" (dict) | nindent 2 }}
  volumeMounts:
    - { name: cache, mountPath: /var/stp/cache }
{{- end }}
