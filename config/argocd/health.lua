-- The health of a CronJob. docs/argocd.md explains each state.

-- With "Suspended", Argo CD shows suspended CronJobs as Suspended, and a sync in waves waits until they are resumed.
local SUSPENDED = "Healthy"

-- Faults that only a change of the manifest can fix.
local INVALID = { UnparseableSchedule = true, UnknownTimeZone = true, NeverFires = true }

local function health(status, message)
  return { status = status, message = message }
end

if obj.status == nil or obj.status.conditions == nil then
  return health("Progressing", "No manager has reconciled the CronJob yet")
end
if obj.status.observedGeneration ~= obj.metadata.generation then
  return health("Progressing", "No manager has reconciled the last change yet")
end

local conditions = {}
for _, condition in ipairs(obj.status.conditions) do
  conditions[condition.type] = condition
end
local available = conditions.Available or {}
local degraded = conditions.Degraded or {}
local overdue = conditions.Overdue or {}

local function say(prefix, condition)
  return prefix .. (condition.message or condition.reason or "the status does not say why")
end

if degraded.status == "True" and INVALID[degraded.reason] then
  return health("Degraded", say("It never runs: ", degraded))
end
if available.reason == "Suspended" then
  return health(SUSPENDED, say("Suspended: ", available))
end
if available.reason == "Paused" then
  return health(SUSPENDED, say("Paused: ", available))
end

-- Alerts report these problems, because the deployed manifest does not cause them.
local troubles = {}
if overdue.status == "True" then
  table.insert(troubles, say("Overdue: ", overdue))
end
if degraded.status == "True" then
  table.insert(troubles, say((degraded.reason or "Degraded") .. ": ", degraded))
end
if #troubles > 0 then
  return health("Healthy", table.concat(troubles, "; "))
end
return health("Healthy", say("Nothing is wrong: ", available))
