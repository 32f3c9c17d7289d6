-- The actions that Argo CD offers for a CronJob.

local isSuspended = obj.spec.suspend == true
local isPaused = false
if obj.status ~= nil then
  isPaused = obj.status.paused ~= nil
  for _, condition in ipairs(obj.status.conditions or {}) do
    if condition.type == "Available" and condition.reason == "Suspended" and obj.spec.suspendUntil ~= nil then
      isSuspended = true
    end
  end
end

return {
  ["run-now"] = { displayName = "Run now", iconClass = "fa fa-fw fa-play" },
  ["suspend"] = { displayName = "Suspend", iconClass = "fa fa-fw fa-pause", disabled = obj.spec.suspend == true },
  ["resume"] = { displayName = "Resume", iconClass = "fa fa-fw fa-redo", disabled = not (isSuspended or isPaused) },
}
