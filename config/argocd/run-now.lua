-- Starts a run by hand, also of a CronJob that is suspended or paused. Each new value starts one.

local os = require("os") -- Argo CD has no global one

if obj.metadata.annotations == nil then
  obj.metadata.annotations = {}
end
obj.metadata.annotations["batch.tutorial.kubebuilder.io/run-now"] = os.date("!%Y-%m-%dT%XZ")
return obj
