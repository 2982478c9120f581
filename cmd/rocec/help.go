package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/cmd/internal/person"
	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/lang/diag"
)

func helpCommand(a *app) *cobra.Command {
	var man string
	cmd := &cobra.Command{
		Use:   "help [VERB | PAGE]",
		Short: "print the help of a verb, or a page of the manual",
		Long: "Help prints the help of a verb, or a page of the manual that is part of this rocec. Each code has a page. If a verb and a\n" +
			"page have the same name, help NAME prints the verb, and help NAME.md prints the page. The whole text goes to stdout; pipe it into\n" +
			"a pager.\n\n" +
			"  rocec help README     the page that leads to the others\n" +
			"  rocec help change     all flags of the verbs that change devices\n" +
			"  rocec help flags      the flags of every verb\n" +
			"  rocec help reference  the help of every verb\n" +
			"  rocec help sudoers    lines of sudoers for logins that are not root\n\n" +
			"With --man it writes a man page for every verb; each run writes the same bytes.",
		Example: "  rocec help apply\n  rocec help change\n  rocec help troubleshooting",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			verb, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			words := verbNames(verb)
			if len(args) == 0 {
				words = append(append(words, topicNames()...), pageNames()...)
			}
			return words, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("man") {
				if len(args) > 0 {
					return exit.Fail(exit.Usage, "%s --man accepts no verb or page\nsee: %[1]s --help", cmd.CommandPath())
				}
				n, err := writeManPages(cmd.Root(), man)
				if err != nil {
					return exit.Fail(exit.Machines, "%v", err)
				}
				if !a.Quiet {
					fmt.Fprintf(a.Stdout, "%s in %s\n", diag.Count(n, "man page"), diag.Escape(man))
				}
				return nil
			}
			return printHelp(a.Person, cmd.Root(), args)
		},
	}
	cmd.Flags().StringVar(&man, "man", "", "write man pages into a `folder`")
	return cmd
}

// printHelp prints the help of a verb, a topic of the help, or a page.
func printHelp(p *person.Person, root *cobra.Command, args []string) error {
	verb, rest, err := root.Find(args)
	switch {
	case err == nil && len(rest) == 0:
		return verb.Help()
	case verb != root || len(args) > 1:
		return exit.Fail(exit.Usage, "%s has no verb %q.%s", verb.CommandPath(), rest[0], diag.DidYouMean(rest[0], verbNames(verb)))
	}
	for _, t := range topics {
		if t.name == strings.TrimSuffix(args[0], ".md") {
			t.print(p, root)
			return nil
		}
	}
	if page := docs.Find(args[0]); page != nil {
		return printPage(p, page)
	}
	plain := strings.TrimSuffix(strings.ToLower(args[0]), ".md")
	known := slices.Concat(verbNames(root), topicNames(), pageNames())
	return exit.Fail(exit.Usage, "there is no verb or page %q.%s The verbs: rocec help. The pages: %s", args[0],
		diag.DidYouMean(plain, known), pageCommand(docs.Index))
}

// pageCommand returns the command that prints a page.
func pageCommand(name string) string { return diag.Rocec("help", diag.Arg("PAGE", name)) }

// verbNames returns the names of the verbs that the help of a command lists.
func verbNames(cmd *cobra.Command) (names []string) {
	for _, c := range shownVerbs(cmd) {
		names = append(names, c.Name())
	}
	return names
}

// pageNames returns the names of the pages of the manual, followed by the codes.
func pageNames() (names []string) {
	for _, p := range docs.Pages() {
		if p.Name != docs.Index {
			names = append(names, p.Name)
		}
	}
	return names
}
