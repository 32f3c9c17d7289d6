//go:build tools

// Package tools names the command that provisioning builds, so that go.sum covers it.
package tools

import _ "github.com/yannh/kubeconform/cmd/kubeconform"
