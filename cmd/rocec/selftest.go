package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/bench"
	"github.com/rocec/rocec/cmd/internal/bundle"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/deploy/rollout"
	"github.com/rocec/rocec/targets/deploy/sequence"
	"github.com/rocec/rocec/targets/deploy/traffic"
)

func selftestCommand(a *app) *cobra.Command {
	var o selftestOptions
	cmd := &cobra.Command{
		Use:   "selftest [DIR]",
		Short: "ask devices for facts that documents lack; prove that they do what is written",
		Long: "Selftest asks the devices of a fabric for facts on which rocec relies and which public documents lack. Level 0 only reads. It\n" +
			"prints each claim with its place in the documents, the command, the answer, and whether the claim " +
			"holds there. Names of devices and users, addresses and serial numbers are replaced by words such as device-1 and addr-1.\n\n" +
			"With --out it shows this text, asks, and then saves it. Rocec never sends the text anywhere; docs/evidence describes how it\n" +
			"becomes a report. --judge derives the verdicts of a saved text again, from its answers alone.\n\n" +
			"The exit status of level 0 does not depend on the verdicts: it is 3 if a device could not be read.\n\n" +
			"Level 1 writes to the devices that --target names, one after the other, reads, and undoes. It first writes a control: a value\n" +
			"that differs from the fabric's, so that a reading that does not look at the device is noticed. Then it writes the\n" +
			"fabric's settings.\n\n" +
			"Level 2 proves that a switch marks. It lowers one ECN threshold of one egress queue for 5 seconds, sends an exchange through that " +
			"queue, and reads the counters of notifications at both hosts. The same exchange before and after must have no mark.\n\n" +
			"Level 3 is for a fabric with bench = true: levels 1 and 2 on every switch, and a proof of pauses.\n\n" +
			"Levels 1 to 3 plan, lock and write a journal as apply does, and undo every change. If rocec dies, the device undoes it by itself.\n" +
			"Level 2 refuses a switch that would restart for the change or would drop packets that it cannot mark, and a queue with other\n" +
			"traffic. The status is 1 if nothing is proved, or if a trial does not hold.",
		Example: "  rocec selftest\n" +
			"  rocec selftest --target leaf01",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.judge != "" {
				if len(args) > 0 {
					return exit.Fail(exit.Usage, "--judge reads a saved text and no fabric, so %s has no effect", diag.Escape(args[0]))
				}
				if err := without(cmd, "judge", "reads a saved text", "level", "traffic", "not-after", "out", "auto-approve", "lab",
					"target"); err != nil {
					return err
				}
				return judgeBundle(a, o.judge)
			}
			if o.level < 0 || o.level > 3 {
				return exit.Fail(exit.Usage, "there is no level %d: use level 0, which changes nothing, or 1, 2 or 3", o.level)
			}
			if err := errors.Join(o.ReadOptions.Check(), o.check(cmd)); err != nil {
				return err
			}
			dir, err := a.Folder(args)
			if err != nil {
				return err
			}
			if o.level > 0 {
				return selftestAt(cmd.Context(), a, dir, o)
			}
			return a.selftest(cmd.Context(), dir, o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.level, "level", 0, "0 only reads, 1 writes and undoes, 2 lowers an ECN threshold for 5 seconds, 3 does both on a bench")
	f.StringVar(&o.judge, "judge", "", "derive the verdicts of a saved text again, from the `file` alone")
	f.StringVar(&o.traffic, "traffic", trafficAny, "with level 2 or 3: the two `hosts` A,B that send")
	f.StringVar(&o.notAfter, "not-after", "", "with level 1 to 3: make no change that may end after this `time`")
	f.StringVar(&o.out, "out", "", "save the shown text to a new `file`, after asking")
	approveFlag(cmd, &o.approve, "save without asking; with level 1 to 3, in the lab or with bench = true: change without asking")
	labFlags(cmd, &o.lab)
	o.Timeout = selftestTime
	readFlags(cmd, &o.ReadOptions)
	sudoFlag(a, cmd)
	targetFlag(a, cmd, &o.only)
	return cmd
}

type selftestOptions struct {
	session.ReadOptions
	level    int
	judge    string
	traffic  string
	notAfter string
	out      string
	approve  bool
	lab      session.LabFlag
	only     []string
}

// check refuses flags that the level does not use.
func (o *selftestOptions) check(cmd *cobra.Command) error {
	switch changed := cmd.Flags().Changed; {
	case o.level < 2 && changed("traffic"):
		return exit.Fail(exit.Usage, "--traffic needs --level 2 or 3")
	case o.level == 0 && changed("not-after"):
		return exit.Fail(exit.Usage, "--not-after needs --level 1, 2 or 3")
	case o.level == 1 && len(o.only) == 0:
		return exit.Fail(exit.Usage, "level 1 needs --target: it writes to each named device, one after the other")
	}
	return nil
}

// selftestTime is the time limit of one device: each of some twenty claims may reach its own time limit.
const selftestTime = 5 * time.Minute

// selftestAt runs a level that changes devices. The text of a failed level has the trials that were made.
func selftestAt(ctx context.Context, a *app, dir string, o selftestOptions) (err error) {
	if o.out != "" {
		if err := maySave(a.Person, o); err != nil {
			return err
		}
	}
	until, err := moment(o.notAfter, time.Now())
	if err != nil {
		return err
	}
	f, devices, err := a.Open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.Close(&err)
	rules := orderOptions{minCapacity: defaultCapacity, darkSet: func() bool { return false }, budget: a.Steps}
	l := &bench.Levels{
		Bench: bench.Bench{
			Session: a.Session, Report: f, Whole: f.Tree(), Devices: devices, Dir: dir, NotAfter: until, Lab: o.lab, Approve: o.approve,
			Rules: rules.rules(1, new(time.Duration)),
			Show: func(of *ir.Fabric, p *deploy.Plan, order *sequence.Sequence) {
				v := a.planView(dir, view.Options{})
				v.Fabric, v.Sequence, v.Tool = of, order, a.Rocec.Tool
				v.Print(p)
			},
		},
		ReadOptions: o.ReadOptions, Level: o.level, Only: devices.Tree, Traffic: o.traffic,
		Exchanges: func(ctx context.Context, pair string) ([]*traffic.Exchange, []view.VerifyTraffic, error) {
			return a.exchanges(ctx, f.Fabric, f.Tree(), devices, pair)
		},
	}
	err = l.Run(ctx)
	if o.out != "" && l.Trials > 0 {
		text := l.Text.Text(l.Mask)
		fmt.Fprint(a.Stdout, text)
		err = errors.Join(err, saveBundle(ctx, a.Person, text, o))
	}
	if err == nil && !l.Proved() {
		return exit.With(exit.Errors)
	}
	return err
}

func (a *app) selftest(ctx context.Context, dir string, o selftestOptions) (err error) {
	if err := maySave(a.Person, o); err != nil {
		return err
	}
	f, devices, err := a.Open(dir, o.only, o.lab)
	if err != nil {
		return err
	}
	defer devices.Close(&err)
	asked, tree := bundle.Ask(devices.Tree)
	if len(asked) == 0 {
		return exit.Fail(exit.Usage, "documents lack no facts about these devices")
	}
	read, end := a.Reading()
	o.Limit(&read)
	read.Probes = rollout.Every
	found := rollout.Observe(ctx, devices.Dial, tree, read)
	end()
	if ctx.Err() != nil {
		return exit.Fail(exit.Interrupted, "interrupted")
	}
	b, mask := bundle.New(f.Fabric, asked, found.Devices)
	b.Tool, b.Lab = a.Rocec.Tool, devices.Lab != nil
	text := b.Text(mask)
	fmt.Fprint(a.Stdout, text)
	if o.out != "" {
		if err := saveBundle(ctx, a.Person, text, o); err != nil {
			return err
		}
	}
	if b.Unread() {
		return exit.With(exit.Machines)
	}
	return nil
}

// maySave refuses flags with which the bundle cannot be saved, before any device is asked.
func maySave(p *person.Person, o selftestOptions) error {
	if o.out == "" {
		if o.approve {
			return exit.Fail(exit.Usage, "--auto-approve needs --out FILE: without it nothing is saved")
		}
		return nil
	}
	if _, err := os.Lstat(o.out); err == nil {
		return exit.Fail(exit.Usage, "%s already exists, and nothing is overwritten", o.out)
	}
	if _, ok := person.Terminal(p.Stdin); !ok && !o.approve {
		return exit.Fail(exit.Usage, "stdin is not a terminal, so rocec cannot ask; to save without asking use --auto-approve")
	}
	return nil
}

// saveBundle saves the shown text, if the person agrees.
func saveBundle(ctx context.Context, p *person.Person, text string, o selftestOptions) error {
	if !o.approve {
		q := fmt.Sprintf("Have you checked that it contains nothing secret? Save it to %s?", diag.Escape(o.out))
		if err := p.AskTo(ctx, q, "yes", "save", "nothing was saved"); err != nil {
			return err
		}
	}
	w, err := os.OpenFile(o.out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return exit.Fail(exit.Usage, "%s already exists, and nothing is overwritten", o.out)
	case err != nil:
		return exit.Fail(exit.Machines, "%v", err)
	}
	_, err = w.WriteString(text)
	if err = errors.Join(err, w.Close()); err != nil {
		return exit.Fail(exit.Machines, "%v", err)
	}
	p.Say("Saved to %s. Rocec sends it nowhere.", o.out)
	return nil
}
