// Package steps makes the commands of hosts with mlx5 NICs. It imports the standard library alone.
package steps

import (
	_ "embed"

	"github.com/rocec/rocec/targets/nic/steps"
	"github.com/rocec/rocec/targets/nic/steps/store"
)

// Kit is older than the kits of other families, so the names of its script, unit and rules do not contain the driver.
var Kit = &steps.Kit{
	Driver: "mlx5",
	Script: steps.Script("", func() string { return steps.Card() + stored + "\n" + own }),
	Plain: "dscp_prio0=none\ndscp_prio1=none\ndscp_prio2=none\ndscp_prio3=none\ndscp_prio4=none\ndscp_prio5=none\ndscp_prio6=none\n" +
		"dscp_prio7=none\npfc=0,0,0,0,0,0,0,0\ntos=0\ntrust=pcp\nvlan_map=0:0,2:0,4:0,6:0\n",
	Firmware: true,
	Store:    store.Step,
	Stored:   store.Query,
}

var (
	//go:embed mlx5.sh
	own string
	//go:embed nvram.sh
	stored string
)
