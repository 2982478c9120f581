/*
Rocecd is the service of a team: the hub that carries the messages of the team, and the worker of a site that changes the site's devices.

	rocecd serve            runs the hub, a site, or both
	rocecd keys init        makes the keys and certificates of a hub
	rocecd keys site NAME   makes the credentials and the key of a site
	rocecd keys person NAME makes the credentials of a person
	rocecd keys list        lists users and when their credentials end
	rocecd keys renew NAME  makes other credentials, or another certificate of the server
	rocecd keys revoke NAME ends the credentials of a user
	rocecd rebuild          gives a hub again what the sites have kept
	rocecd unit             prints a unit of systemd
	rocecd version          prints the version

The verbs of a person are those of rocec with --team. The exit codes are those of rocec.
*/
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/globals"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/cmd/internal/versions"
	"github.com/rocec/rocec/lang/diag"
)

// version is set by -ldflags when the source is built without its commit.
var version = ""

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	context.AfterFunc(ctx, stop) // the second signal ends the process at once
	p := &person.Person{
		Stdin: strings.NewReader(""), Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(), Getenv: os.Getenv, Color: "never",
	}
	os.Exit(run(ctx, p, os.Args[1:]))
}

// run is the whole program: it runs one verb and returns its exit code.
func run(ctx context.Context, p *person.Person, args []string) int {
	root := newRoot(p)
	root.SetArgs(args)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	err := root.ExecuteContext(ctx)
	var e *exit.Error
	switch {
	case err == nil:
		return exit.Good
	case errors.As(err, &e):
	default: // an error of cobra about arguments or verbs
		e = &exit.Error{Status: exit.Usage, Message: err.Error() + "\nsee: rocecd --help"}
	}
	fmt.Fprintf(p.Fitted(p.Stderr), "rocecd: %s\n", diag.EscapeLines(e.Message))
	return e.Status
}

// machine returns the error of a machine: the network, the disk, a program.
func machine(err error) error {
	var e *exit.Error
	if err == nil || errors.As(err, &e) {
		return err
	}
	return exit.Fail(exit.Machines, "%s", err)
}

func newRoot(p *person.Person) *cobra.Command {
	root := &cobra.Command{
		Use:   "rocecd",
		Short: "the service of a team",
		Long: "Rocecd is the service of a team: the hub that carries the messages of the team, and the worker of a site that changes the " +
			"site's devices. Rocec with --team is the program of the persons.",
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Args:          cobra.NoArgs,
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(serveCommand(p), keysCommand(p), rebuildCommand(p), unitCommand(p), versionCommand(p))
	width := p.Width(p.Stdout)
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		printUsage(cmd.OutOrStderr(), cmd, width)
		return nil
	})
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		prose := &diag.Printer{Width: width}
		prose.Prose(cmd.OutOrStdout(), "", cmd.Long) //nolint:errcheck // a closed terminal has nobody to tell
		fmt.Fprintln(cmd.OutOrStdout())
		printUsage(cmd.OutOrStdout(), cmd, width)
	})
	root.SetHelpCommand(&cobra.Command{Use: "__help", Hidden: true}) // else cobra adds its own
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return &exit.Error{Status: exit.Usage, Message: err.Error() + "\nsee: " + cmd.CommandPath() + " --help"}
	})
	return root
}

// printUsage prints the usage of a verb, in the form of rocec.
func printUsage(w io.Writer, cmd *cobra.Command, width int) {
	fmt.Fprintln(w, "Usage:")
	if cmd.HasParent() && cmd.Runnable() {
		fmt.Fprintf(w, "  %s\n", cmd.UseLine())
	} else {
		fmt.Fprintf(w, "  %s VERB\n", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	prose := &diag.Printer{Width: width}
	row := func(column int, head, text string) {
		prose.Prose(w, fmt.Sprintf("  %-*s  ", column, head), text) //nolint:errcheck // a closed terminal has nobody to tell
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\nVerbs:")
		for _, verb := range cmd.Commands() {
			if verb.IsAvailableCommand() {
				row(verb.NamePadding(), verb.Name(), verb.Short)
			}
		}
	}
	heads, texts, column := flagRows(cmd)
	if len(heads) > 0 {
		fmt.Fprintln(w, "\nFlags:")
	}
	for i := range heads {
		row(column, heads[i], texts[i])
	}
}

// build returns the facts about this program. A site and the persons of a team have one version.
func build() globals.Build {
	v := version
	if info, ok := debug.ReadBuildInfo(); ok && v == "" {
		v = versions.Of(info.Main.Version)
	}
	return globals.Build{Version: v, Release: versions.Release(v), Tool: v}
}

func versionCommand(p *person.Person) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "print the version and build of rocecd",
		Long:    "Version prints the version and build of rocecd. A site refuses plans of another version of rocec.",
		Example: "  rocecd version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(p.Stdout, "rocecd %s (%s, %s/%s)\n", build().Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
