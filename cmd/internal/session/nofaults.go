//go:build !faults

package session

import (
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
)

// Only builds for tests shorten the waits of a change: see faults.go.
func hasten(*rollout.ApplyOptions) {}
func hastenSteps(*deploy.Plan)     {}
