package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/sitefrom"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/device"
	"github.com/rocec/rocec/targets/deploy/sequence"
)

// app is the state of one run of the program. Its methods are the verbs.
type app struct{ *session.Session }

func newApp(p *person.Person) *app {
	return &app{session.New(globals.New(p, buildOf(buildVersion())), device.Clock{Now: time.Now, Wait: time.After})}
}

// takes returns a check that refuses fewer arguments than least or more than most. Its message shows the arguments of the verb; the
// message of cobra has only their number.
func takes(least, most int) cobra.PositionalArgs { return arguments{least, most}.check }

// arguments is the number of arguments that a verb accepts. Its method exists once in the program; a closure would exist once per verb.
type arguments struct{ least, most int }

func (n arguments) check(verb *cobra.Command, args []string) error {
	if n.least <= len(args) && len(args) <= n.most {
		return nil
	}
	_, want, _ := strings.Cut(verb.Use, " ")
	return exit.Fail(exit.Usage, "%s takes %s, not %s\nsee: %[1]s --help", verb.CommandPath(), want, diag.Count(len(args), "argument"))
}

// planView is a view of a plan on stdout; dir is the fabric's folder.
func (a *app) planView(dir string, o view.Options) *view.Plan {
	return view.NewPlan(a.Screen(), dir, o)
}

// question returns the question whether to go on. It states the disruption by the change, and names the devices that rocec does not read.
func question(f *ir.Fabric, what string, plan *deploy.Plan, seq *sequence.Sequence) string {
	q := view.Price(plan, seq) + "\nApply this to " + what + "?"
	if text := deploy.ByHand(f); text != "" {
		q += " " + text + "."
	}
	return q
}

// without refuses flags that have no effect beside flag.
func without(cmd *cobra.Command, flag, does string, others ...string) error {
	for _, other := range others {
		if cmd.Flags().Changed(other) {
			return exit.Fail(exit.Usage, "--%s %s, so --%s has no effect. Leave out one of the two", flag, does, other)
		}
	}
	return nil
}

// sites returns a maker of sites from the sources that a person names.
func sites(a *app) sitefrom.Maker { return sitefrom.Maker{Globals: a.Globals} }
