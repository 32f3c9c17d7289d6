-- Starts no runs until a user resumes the CronJob: removes the end time of the suspension.

obj.spec.suspend = true
obj.spec.suspendUntil = nil
return obj
