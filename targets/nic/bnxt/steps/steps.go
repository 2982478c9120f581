// Package steps makes the commands of hosts with bnxt NICs. It imports the standard library alone.
package steps

import (
	_ "embed"

	"github.com/rocec/rocec/targets/nic/steps"
)

// Kit makes the commands of bnxt NICs.
var Kit = &steps.Kit{
	Driver: "bnxt",
	Suffix: suffix,
	Script: steps.Script(suffix, func() string { return steps.DCBCard() + own }),
	Plain:  "pfc=0,0,0,0,0,0,0,0\ntos=0\nvlan_map=0:0,2:0,4:0,6:0\n",
}

const suffix = "-bnxt"

//go:embed bnxt.sh
var own string
