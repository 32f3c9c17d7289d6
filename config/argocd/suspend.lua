-- Starts no more runs until somebody resumes it: a time after which it would go on by itself is taken away.

obj.spec.suspend = true
obj.spec.suspendUntil = nil
return obj
