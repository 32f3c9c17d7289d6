-- Starts a manual run, also of a suspended or paused CronJob. Each new value starts one run.

local os = require("os") -- Argo CD has no global one

if obj.metadata.annotations == nil then
  obj.metadata.annotations = {}
end
obj.metadata.annotations["batch.tutorial.kubebuilder.io/run-now"] = os.date("!%Y-%m-%dT%XZ")
return obj
