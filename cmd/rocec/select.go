package main

import (
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
)

// targetFlag adds --target to a verb.
func (a *app) targetFlag(cmd *cobra.Command, only *[]string) {
	cmd.Flags().StringArrayVar(only, "target", nil, "only these devices: `names`, nodesets, globs or groups (switch.leaf); !x leaves x "+
		"out; repeatable")
	complete := func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		return a.completeNamed(args)
	}
	cmd.RegisterFlagCompletionFunc("target", complete) //nolint:errcheck // the flag was added just now
}

// selectDevices cuts a tree down to what --target names. Without one, or with exclusions only, it begins with all.
func selectDevices(tree *target.Tree, exprs []string) (*target.Tree, error) {
	if len(exprs) == 0 {
		return tree, nil
	}
	in := map[string]bool{}
	all := true
	for _, e := range exprs {
		all = all && strings.HasPrefix(e, "!")
	}
	for _, d := range tree.Devices {
		in[d.Name] = all
	}
	for _, e := range exprs {
		name, out := strings.CutPrefix(e, "!")
		names, err := matching(tree, name)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			in[n] = !out
		}
	}
	cut := &target.Tree{}
	for _, d := range tree.Devices {
		if in[d.Name] {
			cut.Devices = append(cut.Devices, d)
		}
	}
	if len(cut.Devices) == 0 {
		return nil, fail(exitUsage, "--target leaves no device")
	}
	return cut, nil
}

// globs reports whether a pattern with * and ? matches a name.
func globs(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// listed splits an expression at commas that are not in brackets or braces.
func listed(expr string) (out []string) {
	depth, begin := 0, 0
	for i, c := range expr {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				out = append(out, strings.TrimSpace(expr[begin:i]))
				begin = i + 1
			}
		}
	}
	return append(out, strings.TrimSpace(expr[begin:]))
}

// matching returns the devices one expression names: groups, globs, names or nodesets.
func matching(tree *target.Tree, expr string) ([]string, error) {
	var found []string
	if parts := listed(expr); len(parts) > 1 {
		for _, part := range parts {
			more, err := matching(tree, part)
			if err != nil {
				return nil, err
			}
			found = append(found, more...)
		}
		return found, nil
	}
	known := make(map[string]bool, len(tree.Devices))
	groups := map[string]bool{}
	for _, d := range tree.Devices {
		group := string(d.Role) + "." + d.Group
		known[d.Name], groups[group] = true, true
		if group == expr || strings.ContainsAny(expr, "*?") && (globs(expr, d.Name) || globs(expr, group)) {
			found = append(found, d.Name)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	var candidates []string
	for _, d := range tree.Devices {
		candidates = append(candidates, d.Name)
	}
	for g := range groups {
		candidates = append(candidates, g)
	}
	if strings.ContainsAny(expr, "*?") {
		return nil, fail(exitUsage, "%s: no device of that form", expr)
	}
	if groups[expr] || known[expr] {
		return []string{expr}, nil
	}
	set, bad := nodeset.Parse(expr, nodeset.Devices)
	if len(bad) > 0 {
		return nil, fail(exitUsage, "%s: %s%s", expr, bad[0].Message, diag.DidYouMean(expr, candidates))
	}
	if set.Len() > 1_000_000 {
		return nil, fail(exitUsage, "%s: that is more than a million names", expr)
	}
	for n := range set.All() {
		if !known[n.Device] {
			return nil, fail(exitUsage, "%s: the fabric has no device %q that rocec writes.%s", expr, n.Device,
				diag.DidYouMean(n.Device, candidates))
		}
		found = append(found, n.Device)
	}
	return found, nil
}
