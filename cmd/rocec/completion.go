package main

import (
	"github.com/spf13/cobra"
)

func (a *app) completionCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:       "completion bash|zsh|fish|powershell",
		Short:     "print the completion script of a shell",
		Long:      "Completion prints a script that completes verbs, flags and the names of your fabric's own devices.\n\n  bash:  source <(rocec completion bash)\n  zsh:   rocec completion zsh > \"${fpath[1]}/_rocec\"\n  fish:  rocec completion fish | source",
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{"bash", "zsh", "fish", "powershell"},
		RunE: func(_ *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			default:
				return root.GenPowerShellCompletionWithDesc(a.stdout)
			}
		},
	}
}

// completeDevices offers the names of the fabric in dir, for --target and show. Completion stays silent on errors.
func (a *app) completeDevices(dir string) ([]string, cobra.ShellCompDirective) {
	if a.prepare() != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	f, err := a.load(dir)
	if err != nil || f.Fabric == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	groups := map[string]bool{}
	for _, d := range f.Fabric.Devices {
		names = append(names, d.Name)
		if g := groupName(d); !groups[g] {
			groups[g] = true
			names = append(names, g)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
