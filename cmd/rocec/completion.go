package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/session"
	"github.com/rocec/rocec/cmd/internal/view/facts"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/compiler/platform"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets"
)

func completionCommand(a *app, root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "print the completion script of a shell",
		Long: "Completion prints a script that completes verbs, flags and the names of your fabric's devices.\n\n  bash:  source " +
			"<(rocec completion bash)\n  zsh:   rocec completion zsh > \"${fpath[1]}/_rocec\"\n  fish:  rocec completion fish | source",
		Example:   "  rocec completion bash",
		Args:      cobra.MatchAll(takes(1, 1), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(_ *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.Stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.Stdout)
			case "fish":
				return root.GenFishCompletion(a.Stdout, true)
			default:
				return root.GenPowerShellCompletionWithDesc(a.Stdout)
			}
		},
	}
}

// offer makes the shell complete the values of a flag with words. The verb must have the flag.
func offer(cmd *cobra.Command, flag string, words ...string) {
	if cmd.Flag(flag) == nil {
		panic("rocec: no flag --" + flag + " to offer words for") // so a renamed flag cannot lose its words
	}
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)) // fails where it has some
}

// offerCommon adds the words for flags that many verbs have.
func offerCommon(root *cobra.Command) {
	offer(root, "color", "auto", "always", "never")
	offer(root, "log-format", "text", "json")
	for _, cmd := range root.Commands() {
		if cmd.Flags().Lookup("format") != nil {
			offer(cmd, "format", "text", "json")
		}
	}
}

// completePorts offers the cabled ports of the device before the colon of a word, or else devices.
func (a *app) completePorts(dir, word string) ([]string, cobra.ShellCompDirective) {
	name, _, isPort := strings.Cut(word, ":")
	if !isPort {
		names, d := a.completeDevice(dir)
		return names, d | cobra.ShellCompDirectiveNoSpace // the port is typed next
	}
	var ports []string
	if f := a.completed(dir); f != nil {
		if d, err := facts.FindDevice(f, name); err == nil {
			for _, p := range d.Ports {
				ports = append(ports, name+":"+p.Name)
			}
		}
	}
	return ports, cobra.ShellCompDirectiveNoFileComp
}

// completeNamed calls completeDevices for the fabric in DIR if it is given, else in -C.
func (a *app) completeNamed(args []string) ([]string, cobra.ShellCompDirective) {
	dir, err := a.Folder(args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeDevices(dir)
}

// completeDevice offers the devices of the fabric in dir, without groups, for verbs that accept one device.
func (a *app) completeDevice(dir string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if f := a.completed(dir); f != nil {
		names = deviceNames(f)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

func deviceNames(f *ir.Fabric) (names []string) {
	for _, d := range f.Devices {
		names = append(names, d.Name)
	}
	return names
}

// completeDevices offers the devices and groups of the fabric in dir, for --target.
func (a *app) completeDevices(dir string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if f := a.completed(dir); f != nil {
		groups := map[string]bool{}
		for _, d := range f.Devices {
			names = append(names, d.Name)
			if g := facts.GroupName(d); !groups[g] {
				groups[g] = true
				names = append(names, g)
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// completeRuns offers the runs of the journal, newest first. With -C it offers the runs of that fabric.
func completeRuns(a *app, args []string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var runs []string
	if _, logs, _, err := a.ReadRuns(); err == nil {
		for _, l := range logs {
			if a.Dir == "" || session.SameFolder(a.Dir, l.Fabric) {
				runs = append(runs, cobra.CompletionWithDesc(l.Run, diag.Escape(l.Name)+", "+l.Began.Local().Format("2006-01-02 15:04")))
			}
		}
	}
	return runs, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// offerRuns makes the shell complete the argument of a verb with runs.
func offerRuns(a *app, cmd *cobra.Command) {
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return completeRuns(a, args)
	}
}

// offerNames makes the shell complete a flag of a verb with names. names derives them from the fabric in DIR or -C, and its folder.
func offerNames(a *app, cmd *cobra.Command, flag string, names func(dir string, f *ir.Fabric) []string) {
	complete := func(_ *cobra.Command, args []string, _ string) (words []string, d cobra.ShellCompDirective) {
		if dir, err := a.Folder(args); err == nil {
			if f := a.completed(dir); f != nil {
				words = names(dir, f)
			}
		}
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	_ = cmd.RegisterFlagCompletionFunc(flag, complete) // fails where it has some
}

// goneOf returns the hosts that may be set back: hosts set by hand, and hosts that runs have changed and the fabric no longer has.
func goneOf(a *app, dir string, f *ir.Fabric) []string {
	gone := a.ChangedHosts(dir, "")
	for _, d := range f.Devices {
		if delete(gone, d.Name); d.ByHand != nil && d.Host != nil {
			gone[d.Name] = true
		}
	}
	return slices.Sorted(maps.Keys(gone))
}

// systemWords returns the values of init --os: each operating system alone, and with each release that a draft uses for some model.
func systemWords() []string {
	var out []string
	for _, os := range targets.Known.OS {
		out = append(out, os.Name)
		releases := map[string]bool{os.Newest: true}
		for _, m := range platform.Switches {
			if os.Usual != nil {
				releases[os.Usual(m)] = true
			}
		}
		delete(releases, "")
		for _, r := range slices.Sorted(maps.Keys(releases)) {
			out = append(out, os.Name+"@"+r)
		}
	}
	return out
}

// completed returns the fabric in dir for completion. It prints no errors, and returns nil if the fabric cannot be loaded.
func (a *app) completed(dir string) *ir.Fabric {
	if a.Prepare() != nil {
		return nil
	}
	f, err := a.Load(dir)
	if err != nil {
		return nil
	}
	return f.Fabric
}
