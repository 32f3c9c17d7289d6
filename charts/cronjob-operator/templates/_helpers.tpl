{{/* Prefix of all names: the release's name, without cronjob-operator twice. */}}
{{- define "cronjob-operator.prefix" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 28 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" (.Release.Name | trunc 11 | trimSuffix "-") .Chart.Name -}}
{{- end -}}
{{- end -}}

{{- define "cronjob-operator.selectorLabels" -}}
control-plane: controller-manager
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "cronjob-operator.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "cronjob-operator.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The lease: releases in one namespace that share the work have one each. */}}
{{- define "cronjob-operator.lease" -}}
{{- if .Values.watchLabelSelector -}}{{ include "cronjob-operator.prefix" . }}.{{- end -}}
cronjob-controller.batch.tutorial.kubebuilder.io
{{- end -}}

{{/* Switches, as "true" or "": features that need permissions in the whole cluster are off without these permissions. */}}
{{- define "cronjob-operator.hasWebhooks" -}}
{{- if and .Values.webhooks.enabled .Values.clusterScoped -}}true{{- end -}}
{{- end -}}

{{- define "cronjob-operator.hasAdmissionPolicies" -}}
{{- if and .Values.admissionPolicies.enabled .Values.clusterScoped -}}true{{- end -}}
{{- end -}}

{{- define "cronjob-operator.hasMetrics" -}}
{{- if and .Values.metrics.enabled (or .Values.clusterScoped (not .Values.metrics.secure)) -}}true{{- end -}}
{{- end -}}

{{- define "cronjob-operator.hasMetricsCertificate" -}}
{{- if and (include "cronjob-operator.hasMetrics" .) .Values.metrics.secure (eq .Values.certificates "cert-manager") -}}true{{- end -}}
{{- end -}}

{{- define "cronjob-operator.hasOwnCertificates" -}}
{{- if and (include "cronjob-operator.hasWebhooks" .) (eq .Values.certificates "self") -}}true{{- end -}}
{{- end -}}

{{- define "cronjob-operator.hasPriorityClass" -}}
{{- if and .Values.clusterScoped (not .Values.priorityClassName) -}}true{{- end -}}
{{- end -}}

{{/* The account that roles are bound to. */}}
{{- define "cronjob-operator.subjects" -}}
- kind: ServiceAccount
  name: {{ include "cronjob-operator.prefix" . }}-controller-manager
  namespace: {{ .Release.Namespace }}
{{- end -}}
