//go:build !faults

package session

import (
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

// What a change of a device waits for is shorter in builds for tests alone: see faults.go.
func hasten(*rollout.ApplyOptions) {}
func hastenSteps(*deploy.Plan)     {}
