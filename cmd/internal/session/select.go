package session

import (
	"path"
	"strings"

	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/nodeset"
	"github.com/rocec/rocec/targets/target"
)

// SelectDevices reduces a tree to the devices that --target names. Without --target, or with only exclusions, it begins with all devices.
func SelectDevices(tree *target.Tree, exprs []string) (*target.Tree, error) {
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
		return nil, exit.Fail(exit.Usage, "--target selects no device")
	}
	return cut, nil
}

// globs reports whether a pattern with * and ? matches a name.
func globs(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return ok && err == nil
}

// listed splits an expression at commas outside of brackets and braces.
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

// matching returns the devices that an expression names: groups, globs, names and nodesets, separated by commas.
func matching(tree *target.Tree, expr string) ([]string, error) {
	known := make(map[string]bool, len(tree.Devices))
	groups := map[string][]string{}
	candidates := make([]string, 0, len(tree.Devices))
	for _, d := range tree.Devices {
		group := string(d.Role) + "." + d.Group
		known[d.Name], groups[group] = true, append(groups[group], d.Name)
		candidates = append(candidates, d.Name)
	}
	for g := range groups {
		candidates = append(candidates, g)
	}
	var found, names []string
	for _, part := range listed(expr) {
		switch {
		case groups[part] != nil:
			found = append(found, groups[part]...)
		case strings.ContainsAny(part, "*?"):
			some := len(found)
			for _, d := range tree.Devices {
				if globs(part, d.Name) || globs(part, string(d.Role)+"."+d.Group) {
					found = append(found, d.Name)
				}
			}
			if len(found) == some {
				return nil, exit.Fail(exit.Usage, "no device matches %s", part)
			}
		case known[part]:
			found = append(found, part)
		default:
			names = append(names, part)
		}
	}
	if names == nil {
		return found, nil
	}
	rest := strings.Join(names, ",")
	set, bad := nodeset.Parse(rest, nodeset.Devices)
	if len(bad) > 0 {
		return nil, exit.Fail(exit.Usage, "%s: %s%s", rest, bad[0].Message, diag.DidYouMean(rest, candidates))
	}
	if set.Len() > 1_000_000 {
		return nil, exit.Fail(exit.Usage, "%s: that is more than a million names", rest)
	}
	for n := range set.All() {
		if !known[n.Device] {
			return nil, exit.Fail(exit.Usage, "%s: the fabric has no device %q that rocec writes.%s", rest, n.Device,
				diag.DidYouMean(n.Device, candidates))
		}
		found = append(found, n.Device)
	}
	return found, nil
}
