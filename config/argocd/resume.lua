-- Starts runs again after a suspension or a pause. Skipped runs do not run later.

local os = require("os") -- Argo CD has no global one

obj.spec.suspend = false
obj.spec.suspendUntil = nil
if obj.status ~= nil and obj.status.paused ~= nil then
  if obj.metadata.annotations == nil then
    obj.metadata.annotations = {}
  end
  obj.metadata.annotations["batch.tutorial.kubebuilder.io/resume"] = os.date("!%Y-%m-%dT%XZ")
end
return obj
