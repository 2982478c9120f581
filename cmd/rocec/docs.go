package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/docs"
	"github.com/rocec/rocec/lang/diag"
)

func (a *app) docsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "docs [PAGE]",
		Short: "print a page of the manual",
		Long: "Docs prints a page of the manual that is part of this rocec; without PAGE, the page that leads to the others. A code is a " +
			"page, too. The text goes to stdout as a whole: pipe it into a pager where it is long.",
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return pageNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			name := docs.Index
			if len(args) > 0 {
				name = args[0]
			}
			p := docs.Find(name)
			if p == nil {
				plain := strings.TrimSuffix(strings.ToLower(name), ".md")
				return fail(exitUsage, "no page %q.%s rocec docs lists them", name, diag.DidYouMean(plain, pageNames()))
			}
			return a.printPage(p)
		},
	}
}

// pageNames are the pages of the manual, and after them the codes.
func pageNames() (names []string) {
	for _, p := range docs.Pages() {
		if p.Name != docs.Index {
			names = append(names, p.Name)
		}
	}
	return names
}
