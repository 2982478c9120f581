package main

import (
	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/view/whatif"
	"github.com/rocec/rocec/lang/diag"
)

func whatifCommand(a *app) *cobra.Command {
	var wish whatif.Wish
	var loop int
	var format string
	cmd := &cobra.Command{
		Use:   "whatif [DIR] --loop N | --incast A,B",
		Short: "simulate the flows of a PFC loop, or an incast",
		Long: "Whatif sends traffic through the fabric in a simulation, frame by frame, and contacts no device. It prints the first mark, the\n" +
			"first pause, the paused ports, the use of headroom, and the frames for which headroom is too short.\n\n" +
			"--loop N takes circle N of the PFC-loop proof, in the order of validate --format json, and sends the flows that fill it. It\n" +
			"searches for rates at which the buffers lock, and prints whether they stay locked when all senders stop. It sends the same\n" +
			"flows with the first way out of validate.\n\n" +
			"--incast A,B,C sends from hosts at line rate to one receiver: --to, or else the last name. Names are hosts (gpu001), interfaces\n" +
			"(gpu001:ens1f0), and nodesets (gpu[001-008]).\n\n" +
			"\"Locks in this simulation\" is no prediction, and a run that drains is no proof: only validate judges whether a fabric is free.",
		Example: "  rocec whatif examples/ring-pfc-loop --loop 1\n" +
			"  rocec whatif --incast gpu001,gpu002 --to gpu003",
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exit.Choice("format", format, "text", "json"); err != nil {
				return err
			}
			given := cmd.Flags().Changed
			switch {
			case given("loop") == given("incast"):
				return exit.Fail(exit.Usage, "whatif takes one of --loop N and --incast A,B\nsee: %s", diag.Rocec("whatif --help"))
			case given("loop"):
				if err := without(cmd, "--loop", "simulates the flows of a circle", "to", "intent", "receive"); err != nil {
					return err
				}
			}
			dir, err := a.Folder(args)
			if err != nil {
				return err
			}
			return a.whatif(dir, given("loop"), loop, wish, format)
		},
	}
	f := cmd.Flags()
	f.IntVar(&loop, "loop", 0, "the `number` of a circle of the PFC-loop proof, from 1")
	f.StringVar(&wish.Names, "incast", "", "`hosts` or interfaces that send at once, such as gpu001,gpu002; without --to the last one "+
		"receives")
	f.StringVar(&wish.To, "to", "", "the `host` or interface that receives an incast")
	f.StringVar(&wish.Intent, "intent", "", "the roce block with this `name`, for an incast; default: the first one with all of them as "+
		"members")
	f.IntVar(&wish.Percent, "receive", 100, "`percent` of line rate at which the receiver of an incast takes frames")
	f.StringVar(&format, "format", "text", "text or json")
	offer(cmd, "format", "text", "json")
	return cmd
}

func (a *app) whatif(dir string, loop bool, number int, wish whatif.Wish, format string) error {
	steps := a.Steps().Left()
	f, err := a.Load(dir)
	if err != nil {
		return err
	}
	if f.Fabric == nil {
		a.PrintDiagnostics(a.Stderr, f)
		return exit.With(exit.Errors)
	}
	var study *whatif.Study
	if loop {
		study, err = whatif.OfLoop(f.Proofs, number, steps)
	} else {
		study, err = whatif.OfIncast(f.Fabric, wish)
	}
	if err != nil {
		return err
	}
	a.MentionErrors(f, diag.Rocec("validate"))
	if format == "json" {
		return a.WriteJSON(study.JSON())
	}
	study.Text(a.Screen())
	return nil
}
