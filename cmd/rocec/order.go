package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/compiler/change"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/sequence"
)

// orderOptions are the flags that say which devices may be away together.
type orderOptions struct {
	minCapacity, maxDark int
	noCanary             bool
	darkSet              func() bool
	given                func() bool         // the person gave one of the two bounds
	budget               func() *ir.Budget   // of a proof; nil: the default
	away                 map[*ir.Device]bool // that the person goes on without, whatever that costs them
}

// defaultCapacity is the percentage of their capacity that ways keep.
const defaultCapacity = 50

// ruleFlags declares what bounds an order.
func (o *orderOptions) ruleFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	o.darkSet = func() bool { return f.Changed("max-dark") }
	o.given = func() bool { return f.Changed("max-dark") || f.Changed("min-capacity") }
	o.budget = func() *ir.Budget {
		given, err := f.GetDuration("budget")
		if err != nil { // a verb without the flag
			given = defaultBudget
		}
		return stepsIn(given)
	}
	f.IntVar(&o.minCapacity, "min-capacity", defaultCapacity, "percent of its described capacity that every way between hosts keeps while "+
		"devices restart; 0 also allows to cut hosts off from each other")
	f.IntVar(&o.maxDark, "max-dark", 0, "`hosts` that may be without a link at the same time, at least 1; those that are changed themselves "+
		"count "+
		"(default: those of one switch, and every host that is changed)")
}

// orderFlags declares them, and what makes an order.
func (o *orderOptions) orderFlags(cmd *cobra.Command) {
	o.ruleFlags(cmd)
	cmd.Flags().BoolVar(&o.noCanary, "no-canary", false,
		"do not change one device of every kind first, alone, where the change disrupts traffic")
}

func (o *orderOptions) check() error {
	if o.minCapacity < 0 || o.minCapacity > 100 || o.maxDark < 0 || o.maxDark == 0 && o.darkSet() {
		return exit.Fail(exit.Usage, "--min-capacity is a percentage from 0 to 100, and --max-dark at least 1 host")
	}
	return nil
}

// rules are those of the flags, for so many devices at the same time. soak is how long each must hold; nil: as long as its steps say.
func (o *orderOptions) rules(parallel int, soak *time.Duration) sequence.Rules {
	return sequence.Rules{
		Rules: change.Rules{MinCapacity: o.minCapacity, MaxDark: o.maxDark, Parallel: parallel, Canary: !o.noCanary},
		Soak:  soak, Away: o.away, Budget: o.budget,
	}
}

// unread are the devices of a plan that could not be read.
func unread(plan *deploy.Plan) map[*ir.Device]bool {
	out := map[*ir.Device]bool{}
	for _, p := range plan.Devices {
		if p.Err != nil {
			out[p.Device.Source] = true
		}
	}
	return out
}
