package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/meaning"
	"github.com/rocec/rocec/cmd/internal/operands"
	"github.com/rocec/rocec/cmd/internal/view"
	"github.com/rocec/rocec/lang"
)

// mostComment is the number of bytes that GitHub accepts in a comment, less a reserve for the text that a workflow adds.
const mostComment = 60_000

func diffCommand(a *app) *cobra.Command {
	var format, system, version string
	var detailed bool
	cmd := &cobra.Command{
		Use:   "diff [A [B]]",
		Short: "print the effect of a change between revisions, folders, files of devices, or releases",
		Long: "Diff prints the effect of a change on traffic, without a device. It prints the effects as plan does, added and removed\n" +
			"devices and cables, verdicts on PFC loops, and new and fixed findings.\n" +
			"\n" +
			"A and B are each a revision of the fabric's git repository (REV, or REV:PATH for another folder), a folder with a fabric, or files\n" +
			"of devices. As with git diff, A defaults to HEAD, and B to the current files of the fabric's folder. A..B compares two revisions,\n" +
			"and A...B shows the changes of B since it branched off A. Revisions need the program git; no work tree is changed.\n" +
			"\n" +
			"With --os or --version it compares A with the same fabric compiled for another system or release of its switches. Here A defaults\n" +
			"to the fabric's folder.\n" +
			"\n" +
			"The exit status is 1 if B has an error that A does not have. With --detailed-exitcode it is 2 if anything changes.",
		Example: "  rocec diff\n" +
			"  rocec diff origin/main... --format md\n" +
			"  rocec diff --version 5.11",
		Args: takes(0, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exit.Choice("format", format, "text", "md", "json"); err != nil {
				return err
			}
			ctx, dir := cmd.Context(), a.Here()
			var from, to *operands.Operand
			var err error
			other := system != "" || version != ""
			switch {
			case other && len(args) > 1:
				return exit.Fail(exit.Usage, "--os and --version compare one fabric with itself: leave out B")
			case other && len(args) == 0:
				from = &operands.Operand{Name: operands.WorkingTree, Folder: dir}
			default:
				from, to, err = operands.Resolve(ctx, dir, args)
			}
			if err != nil {
				return err
			}
			if other {
				if from.Files != "" {
					return exit.Fail(exit.Usage, "--os and --version are for a fabric, and %s has files of devices", from.Name)
				}
				to = operands.Compiled(from, system, version)
			}
			was, err := from.State(ctx, a.Globals)
			if err != nil {
				return err
			}
			if other {
				a.Change = func(src *lang.Source) { operands.Recompile(src, system, version) }
			}
			is, err := to.State(ctx, a.Globals)
			if err != nil {
				return err
			}
			return diffed(a, meaning.Of(was, is), format, detailed)
		},
	}
	f := cmd.Flags()
	f.StringVar(&format, "format", "text", "text, md (for the comment of a pull request) or json")
	offer(cmd, "format", "text", "md", "json")
	f.StringVar(&system, "os", "", "compare with the same fabric compiled for this system of its switches")
	f.StringVar(&version, "version", "", "compare with the same fabric compiled for this release of its switches")
	f.BoolVar(&detailed, "detailed-exitcode", false, "exit 2 if anything changes")
	return cmd
}

// diffed prints the effect of a change. Its error is not nil if the change adds an error.
func diffed(a *app, m *meaning.Meaning, format string, detailed bool) error {
	switch format {
	case "json":
		if err := a.WriteJSON(view.DiffJSON(m)); err != nil {
			return err
		}
	case "md":
		if _, err := io.WriteString(a.Stdout, view.DiffMarkdown(m, mostComment)); err != nil {
			return err
		}
	default:
		a.Screen().Meaning(m)
	}
	switch {
	case m.Worse():
		return exit.With(exit.Errors)
	case detailed && !m.Empty():
		return exit.With(exit.Changes)
	}
	return nil
}
