//go:build tools

// Package tools names the commands that provisioning builds, so that go.sum covers them.
package tools

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
