{{/*
Values that the schema cannot check: settings that processes must agree on, and switches that need a value.
*/}}
{{- define "pets.check" -}}
{{- $apps := dict "petsApi" .Values.petsApi.config "domainsWorker" .Values.domainsWorker.config "edge" .Values.edge.config -}}
{{- if .Values.challengeDns.enabled -}}
{{- $_ := set $apps "challengeDns" .Values.challengeDns.config -}}
{{- end -}}
{{- $shared := dict
  "PLATFORM_DOMAIN" (list "edge")
  "STORAGE_URL" (list "edge")
  "EDGE_MAX_STALENESS" (list "edge")
  "PUBLIC_HTTPS_PORT" (list "edge")
  "ACME_DIRECTORY_URLS" (list "domainsWorker")
  "ACME_DNS_ZONE" (list "domainsWorker" "challengeDns")
-}}
{{- range $name, $others := $shared -}}
{{- $expected := include "pets.setting" (get $apps.petsApi $name) -}}
{{- range $app := $others -}}
{{- if hasKey $apps $app -}}
{{- if ne $expected (include "pets.setting" (get (get $apps $app) $name)) -}}
{{- fail (printf "%s must be the same in petsApi.config and %s.config" $name $app) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $app, $config := $apps -}}
{{- range $name, $_ := include "pets.fixedSettings" $app | fromYaml -}}
{{- if hasKey $config $name -}}
{{- fail (printf "%s.config.%s: the chart sets it, remove it" $app $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and (or .Values.ingress.enabled .Values.gateway.enabled) (not .Values.petsApi.config.TRUSTED_PROXIES) -}}
{{- fail "ingress and gateway need petsApi.config.TRUSTED_PROXIES: the addresses or networks of their pods, or none, and all clients share one address" -}}
{{- end -}}
{{- end }}
