{{/*
Metadata of a pod template. A dict: `root`, `app` for its name in values, `name` of its objects. The checksum restarts the
pods when a setting changes. No label of the chart's version, which would restart them with each.
*/}}
{{- define "pets.podMetadata" -}}
{{- $values := index .root.Values .app -}}
labels:
  app.kubernetes.io/name: {{ .name }}
  app.kubernetes.io/part-of: pets
  {{- with $values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
annotations:
  checksum/config: {{ include "pets.settings" . | sha256sum }}
  {{- with $values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{/*
What all pods have in common: no rights, no token, and where they may run. A dict: `root`, and `values` of the app.
*/}}
{{- define "pets.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.images.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  {{- with .fsGroupChangePolicy }}
  fsGroupChangePolicy: {{ . }}
  {{- end }}
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/*
What all containers have in common. A dict: `root`, `values` of the app, `image` for the name of its image.
*/}}
{{- define "pets.container" -}}
image: {{ include "pets.image" (dict "root" .root "image" .imageValues "name" .image) }}
{{- with .root.Values.images.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
resources:
  {{- toYaml .values.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/*
Spread over zones and nodes. Preferences only: a volume ties an edge to its zone, where a requirement could leave no node
for it. A dict: `name`, and `perVersion` for pods of a Deployment, which are counted for each version.
*/}}
{{- define "pets.spread" -}}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: ScheduleAnyway
  labelSelector: { matchLabels: { app.kubernetes.io/name: {{ $.name }} } }
  {{- if $.perVersion }}
  matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end }}
{{- end }}

{{/*
The probes of a process, at the port of this name.
*/}}
{{- define "pets.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: {{ . }} }
  periodSeconds: 2
  failureThreshold: 30
livenessProbe:
  httpGet: { path: /livez, port: {{ . }} }
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /readyz, port: {{ . }} }
  periodSeconds: 5
  timeoutSeconds: 3
  failureThreshold: 2
{{- end }}

{{/*
A variable for each secret setting of the site, which names its file.
*/}}
{{- define "pets.secretConfigEnv" -}}
{{- range $name, $_ := . }}
- { name: {{ $name }}_FILE, value: /secrets/{{ $name | lower | replace "_" "-" }} }
{{- end }}
{{- end }}

{{/*
The files of these settings, as sources of the volume `secrets`.
*/}}
{{- define "pets.secretConfigSources" -}}
{{- range $name, $from := . }}
- secret: { name: {{ $from.secret }}, items: [{ key: {{ $from.key }}, path: {{ $name | lower | replace "_" "-" }} }] }
{{- end }}
{{- end }}

{{/*
The metrics of an autoscaler: processor time. The argument is the percentage.
*/}}
{{- define "pets.cpuMetrics" -}}
- type: Resource
  resource: { name: cpu, target: { type: Utilization, averageUtilization: {{ . }} } }
{{- end }}

{{/*
A PodDisruptionBudget. A dict: `root`, `name`. Unready pods must not block the draining of a node.
*/}}
{{- define "pets.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "pets.metadata" (dict "root" .root "object" .name "app" .name) | nindent 2 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels: { app.kubernetes.io/name: {{ .name }} }
{{- end }}
