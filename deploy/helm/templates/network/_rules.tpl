{{/*
A rule that allows connections to a service outside of the chart. A dict: `port`, `to`.
*/}}
{{- define "pets.egressRule" -}}
- ports: [{ protocol: TCP, port: {{ .port }} }]
  {{- with .to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{/*
The port of the collector of traces.
*/}}
{{- define "pets.tracesPort" -}}
{{- $url := urlParse .Values.tracing.endpoint -}}
{{- regexFind ":[0-9]+$" $url.host | trimPrefix ":" | default (ternary "443" "80" (eq $url.scheme "https")) -}}
{{- end }}

{{/*
Every address of the Internet, and none of an internal network.
*/}}
{{- define "pets.publicAddresses" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except: [10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10, 169.254.0.0/16, 127.0.0.0/8]
- ipBlock:
    cidr: ::/0
    except: ['fc00::/7', 'fe80::/10', '::1/128']
{{- end }}
