package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/ledger"
	"github.com/rocec/rocec/cmd/internal/statement"
	"github.com/rocec/rocec/cmd/internal/team"
	"github.com/rocec/rocec/targets/deploy/device"
)

// teamOptions are the flags of the verbs of a team.
type teamOptions struct {
	team.Where
	on       bool // --team was given
	detach   bool
	sites    []string
	holds    []string
	within   time.Duration
	wave     string
	follow   string
	device   string
	withdraw bool
}

// mostWithin is the longest time for which a wave is held: no plan is valid for longer.
const mostWithin = 90 * 24 * time.Hour

// ownTeamFlags are the flags that have an effect with --team alone.
var ownTeamFlags = []string{"creds", "ca", "detach", "hold-before", "within", "sites", "wave"}

// teamFlag is the flag --team. Without a value it takes the address from the environment.
type teamFlag struct{ o *teamOptions }

// fromEnvironment is the value of --team without one.
const fromEnvironment = "$" + team.URLVariable

// String returns the address of the hub.
func (t teamFlag) String() string {
	if t.o == nil {
		return ""
	}
	return t.o.URL
}

// Type returns the placeholder of the value.
func (t teamFlag) Type() string { return "url" }

// Set turns --team on.
func (t teamFlag) Set(url string) error {
	if t.o.on = true; url != fromEnvironment {
		t.o.URL = url
	}
	return nil
}

// teamFlags adds the flags of every verb of a team.
func teamFlags(cmd *cobra.Command, o *teamOptions) {
	f := cmd.Flags()
	f.VarPF(teamFlag{o}, "team", "", "of the team whose hub has this `url`, such as tls://hub:4222 (default: $"+team.URLVariable+
		")").NoOptDefVal = fromEnvironment
	f.StringVar(&o.Creds, "creds", "", "with --team: `file` with your credentials for the hub (default: $"+team.CredsVariable+")")
	f.StringVar(&o.CA, "ca", "", "with --team: `file` with the certificate that signs the hub's (default: $"+team.CAVariable+")")
}

// detachFlag adds --detach to a verb that follows a run.
func detachFlag(cmd *cobra.Command, o *teamOptions) {
	cmd.Flags().BoolVar(&o.detach, "detach", false, "with --team: do not follow the run; its sites do it without this machine")
}

// teamUse refuses flags and arguments that do not go together. It reports whether the verb is one of a team. allowed are the flags of
// the verb that have an effect there, too.
func teamUse(cmd *cobra.Command, args []string, o *teamOptions, allowed ...string) (bool, error) {
	if !o.on {
		for _, name := range ownTeamFlags {
			if cmd.Flags().Changed(name) {
				return false, exit.Fail(exit.Usage, "--%s needs --team", name)
			}
		}
		return false, nil
	}
	if i := slices.IndexFunc(args, func(arg string) bool { return strings.Contains(arg, "://") }); i >= 0 {
		return true, exit.Fail(exit.Usage, "the address of the hub is one word with its flag: --team=%s", args[i])
	}
	var refused error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		own := cmd.InheritedFlags().Lookup(f.Name) == nil && f.Name != "team" && !slices.Contains(ownTeamFlags, f.Name)
		if own && !slices.Contains(allowed, f.Name) && refused == nil {
			refused = exit.Fail(exit.Usage, "--team has the sites do the work, so --%s has no effect. Leave out one of the two", f.Name)
		}
	})
	return true, refused
}

// withTeam connects to the hub, and does what a verb of a team does.
func (a *app) withTeam(o *teamOptions, format string, do func(*team.Team) error) error {
	t, end, err := team.Open(a.Session, o.Where, format, device.Clock{Now: time.Now, Wait: time.After})
	if err != nil {
		return err
	}
	defer end()
	return do(t)
}

// planFlagsOfTeam adds the flags of plan --team.
func planFlagsOfTeam(cmd *cobra.Command, o *teamOptions) {
	teamFlags(cmd, o)
	f := cmd.Flags()
	f.StringSliceVar(&o.sites, "sites", nil, "with --team: the order in which the `sites` work (default: that of their devices)")
	f.StringSliceVar(&o.holds, "hold-before", nil, "with --team: `waves` that begin after an approval alone, such as dc2/1: rocec approve "+
		"--team RUN --wave dc2/1")
	f.DurationVar(&o.within, "within", 0, "with --hold-before: the `duration` after the wave before, in which the approval has to come")
}

// planOfTeam plans with the sites.
func (a *app) planOfTeam(cmd *cobra.Command, dir string, o *planOptions) error {
	t := &o.team
	if (len(t.holds) > 0) != (t.within != 0) || t.within < 0 || t.within > mostWithin {
		return exit.Fail(exit.Usage, "--hold-before needs --within, which is more than 0 and at most 90 days, such as --within 4h")
	}
	return a.withTeam(t, o.format, func(of *team.Team) error {
		return of.Plan(cmd.Context(), dir, &team.PlanOptions{
			Out: o.out, Valid: o.valid, Message: o.message, Only: o.only, Sites: t.sites, Holds: t.holds, Within: t.within, Changes: o.detailed,
		})
	})
}

// applyOfTeam submits a plan to the sites.
func (a *app) applyOfTeam(cmd *cobra.Command, o *applyOptions) error {
	if o.saved == "" {
		return exit.Fail(exit.Usage, "--team submits a saved plan: rocec plan --team --out FILE, rocec apply --team --plan FILE")
	}
	return a.withTeam(&o.team, o.Format, func(t *team.Team) error {
		return t.Submit(cmd.Context(), &team.SubmitOptions{
			Plan: o.saved, Hold: o.Hold, Accept: o.Accept, Message: o.Message, Approve: o.ChangeOptions.Approve, Detach: o.team.detach,
		})
	})
}

// sayOfTeam tells the sites how a run goes on.
func (a *app) sayOfTeam(cmd *cobra.Command, o *teamOptions, verb statement.Verb, run, format string, yes bool) error {
	return a.withTeam(o, format, func(t *team.Team) error {
		return t.SayAbout(cmd.Context(), &team.SayOptions{Verb: verb, Run: run, Yes: yes, Detach: o.detach})
	})
}

// runsFlagsOfTeam adds the flags of runs that read a ledger.
func runsFlagsOfTeam(cmd *cobra.Command, o *teamOptions) {
	teamFlags(cmd, o)
	cmd.Flags().StringVar(&o.follow, "follow", "", "print what happens in a `run`, until it is over")
	cmd.Flags().StringVar(&o.device, "device", "", "the runs that change this device, with its outcome, by `name`")
}

// runsOfLedger prints the runs of a team, or those of a device.
func (a *app) runsOfLedger(cmd *cobra.Command, args []string, o *runsOptions) error {
	switch {
	case o.check || o.Devices || o.Lab != "":
		return exit.Fail(exit.Usage, "--check is about the journals of this machine: leave out --team, --follow and --device")
	case o.Format == "md":
		return exit.Fail(exit.Usage, "--format md is the record of one run on this machine: leave out --team, --follow and --device")
	case o.team.follow != "" && (o.team.device != "" || len(args) > 0), o.team.device != "" && len(args) > 0:
		return exit.Fail(exit.Usage, "runs shows one of these: RUN, --follow RUN, or --device NAME")
	}
	if !o.team.on {
		dir, err := a.Journals()
		if err != nil {
			return err
		}
		files := &ledger.Files{Dir: dir, Clock: device.Clock{Now: time.Now, Wait: time.After}}
		if o.team.device != "" {
			return team.Device(cmd.Context(), a.Session, files, o.team.device, o.Format)
		}
		a.Ending.OnDevices()
		return team.Follow(cmd.Context(), a.Session, files, &team.FollowOptions{Run: o.team.follow, Format: o.Format})
	}
	return a.withTeam(&o.team, o.Format, func(t *team.Team) error {
		switch {
		case o.team.device != "":
			return team.Device(cmd.Context(), a.Session, t.Ledger(""), o.team.device, o.Format)
		case o.team.follow != "":
			return t.Follow(cmd.Context(), o.team.follow, "")
		}
		return t.Runs(cmd.Context(), strings.Join(args, ""))
	})
}
