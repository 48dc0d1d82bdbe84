{{/*
Labels of an object. A dict: `root`, and `name` for an object of one app.
*/}}
{{- define "pets.labels" -}}
{{- with .name }}
app.kubernetes.io/name: {{ . }}
{{- end }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: pets
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{/*
The beginning of a manifest's metadata. A dict: `root`, `object` for its name, and `app` for an object of one app.
*/}}
{{- define "pets.metadata" -}}
name: {{ .object }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "pets.labels" (dict "root" .root "name" .app) | nindent 2 }}
{{- end }}

{{/*
The reference of an image. A dict: `root`, `image` of an app's values, and `name`.
*/}}
{{- define "pets.image" -}}
{{- $images := .root.Values.images -}}
{{- $registry := $images.registry -}}
{{- if not .image.repository -}}
{{- $registry = required "set images.registry to the registry and folder of the images, such as ghcr.io/example/pets" $registry -}}
{{- end -}}
{{- $repository := .image.repository | default (printf "%s/%s" $registry .name) -}}
{{- if .image.digest -}}
{{ $repository }}@{{ .image.digest }}
{{- else -}}
{{ $repository }}:{{ .image.tag | default $images.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/*
A setting as text. A number of YAML is a float, which would be written as 1e+06.
*/}}
{{- define "pets.setting" -}}
{{- if and (kindIs "float64" .) (eq . (floor .)) -}}
{{ printf "%.0f" . }}
{{- else if not (kindIs "invalid" .) -}}
{{ . }}
{{- end -}}
{{- end }}

{{/*
The settings of an app as ConfigMap data: what switches set, then the values of the site, then what the chart fixes.
A dict: `root`, `app` for its name in values.
*/}}
{{- define "pets.settings" -}}
{{- $values := .root.Values -}}
{{- $isApi := eq .app "petsApi" -}}
{{- $isWorker := eq .app "domainsWorker" -}}
{{- $switched := dict -}}
{{- if and $values.monitoring.enabled (or $isApi $isWorker) -}}
{{- $_ := set $switched "METRICS_PORT" "9464" -}}
{{- end -}}
{{- if and $values.tracing.enabled (ne .app "challengeDns") -}}
{{- $_ := set $switched "OTEL_EXPORTER_OTLP_ENDPOINT" $values.tracing.endpoint -}}
{{- $_ := set $switched "OTEL_TRACES_SAMPLER" "parentbased_traceidratio" -}}
{{- $_ := set $switched "OTEL_TRACES_SAMPLER_ARG" $values.tracing.ratio -}}
{{- end -}}
{{- if and $values.platformCertificate.enabled $isApi -}}
{{- $_ := set $switched "ISSUE_PLATFORM_CERTIFICATE" "false" -}}
{{- end -}}
{{- if and $values.challengeDns.enabled $isWorker -}}
{{- $_ := set $switched "ACME_DNS_SERVER" "challenge-dns:53" -}}
{{- end -}}
{{- $fixed := include "pets.fixedSettings" .app | fromYaml -}}
{{- range $name, $value := mergeOverwrite $switched (index $values .app).config $fixed }}
{{- if not (kindIs "invalid" $value) }}
{{ $name }}: {{ include "pets.setting" $value | quote }}
{{- end }}
{{- end }}
{{- end }}

{{/*
Settings that ports and volumes of the pods follow from.
*/}}
{{- define "pets.fixedSettings" -}}
{{- if eq . "petsApi" }}
PORT: '3000'
INTERNAL_PORT: '3001'
{{- else if eq . "domainsWorker" }}
HEALTH_PORT: '9091'
{{- else if eq . "edge" }}
EDGE_HTTP_PORT: '8080'
EDGE_HTTPS_PORT: '8443'
HEALTH_PORT: '9090'
EDGE_DATA_DIR: /data/edge
{{- end }}
{{- end }}

{{/*
The ConfigMap of an app. A dict: `root`, `app` for its name in values, `name` of its objects.
*/}}
{{- define "pets.configMap" -}}
apiVersion: v1
kind: ConfigMap
metadata:
  {{- include "pets.metadata" (dict "root" .root "object" .name) | nindent 2 }}
data:
  {{- include "pets.settings" . | nindent 2 }}
{{- end }}

{{/*
The ServiceAccount of an app. A dict: `root`, `name`, and `annotations`.
*/}}
{{- define "pets.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  {{- include "pets.metadata" (dict "root" .root "object" .name "app" .name) | nindent 2 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}

{{/*
The host of the API: what is given, or that of PUBLIC_URL. A dict: `root`, `host`.
*/}}
{{- define "pets.apiHost" -}}
{{- $url := urlParse (.root.Values.petsApi.config.PUBLIC_URL | default "") -}}
{{- .host | default $url.hostname -}}
{{- end }}

{{/*
The public routes of the API, without the probes.
*/}}
{{- define "pets.publicPaths" -}}
- { path: /v1, isExact: false }
- { path: /openapi.json, isExact: true }
- { path: /docs, isExact: false }
- { path: /problems, isExact: false }
- { path: /dashboard, isExact: false }
{{- end }}
