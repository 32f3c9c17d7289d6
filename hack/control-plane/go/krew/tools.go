//go:build tools

// Package tools names the commands that provisioning builds, so that go.sum covers them.
package tools

import (
	_ "sigs.k8s.io/krew/cmd/krew"
	_ "sigs.k8s.io/krew/cmd/validate-krew-manifest"
)
