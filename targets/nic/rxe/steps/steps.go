// Package steps makes the commands of hosts with Soft-RoCE. It imports the standard library alone.
package steps

import (
	_ "embed"

	"github.com/rocec/rocec/targets/nic/steps"
)

// Kit makes the commands of Soft-RoCE.
var Kit = &steps.Kit{
	Driver:      "rxe",
	Suffix:      suffix,
	Script:      steps.Script(suffix, func() string { return own }),
	Plain:       "tos=0\nvlan_map=0:0,2:0,4:0,6:0\n",
	MakesDevice: true,
}

const suffix = "-rxe"

//go:embed rxe.sh
var own string
