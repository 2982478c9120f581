package inventory

import "slices"

// listed reports whether a root has the form of a dynamic inventory without variables of hosts: a group with a list of hosts.
func listed(root *tree) bool {
	return slices.ContainsFunc(root.kids, func(g *tree) bool {
		if g.kind == list {
			return true
		}
		hosts, children := g.get("hosts"), g.get("children")
		return hosts != nil && hosts.kind == list || children != nil && children.kind == list
	})
}

// listed reads the output of a dynamic inventory: groups with lists of hosts and children, and the variables of hosts in _meta.
func (r *reader) listed(root, meta *tree) {
	for i, name := range root.keys {
		at := root.kids[i]
		if name == "_meta" || r.failed {
			continue
		}
		g := r.group(name, at.line)
		if at.kind == list { // the group is a list of its hosts
			r.members(at, g)
			continue
		}
		if hosts := at.get("hosts"); hosts != nil {
			r.members(hosts, g)
		}
		if children := at.get("children"); children != nil {
			for _, c := range children.kids {
				if c.kind == scalar && c.text != name {
					r.group(c.text, c.line)
					g.children[c.text] = true
				}
			}
		}
		r.variables(at.get("vars"), g.vars, "the group "+name)
	}
	if meta == nil {
		return
	}
	vars := meta.get("hostvars")
	if vars == nil || vars.kind != dict {
		return
	}
	for i, name := range vars.keys {
		if r.failed {
			return
		}
		h := r.hosts[name]
		if h == nil {
			if made := r.host(name, nil, vars.kids[i].line); len(made) == 1 {
				h = made[0]
			} else {
				continue
			}
		}
		r.variables(vars.kids[i], h.vars, "the host "+name)
	}
}

// members adds hosts to a group. Their names have no ranges.
func (r *reader) members(hosts *tree, g *group) {
	for _, h := range hosts.kids {
		if h.kind == scalar && !r.failed {
			r.host(h.text, g, h.line)
		}
	}
}

// root reads an inventory in the form of YAML: groups by name, at the top and below children.
func (r *reader) root(root *tree) {
	if root.kind != dict {
		r.fail(root.line, "An inventory in YAML is a map of groups, such as all with the keys hosts and children.")
		return
	}
	if root.get("plugin") != nil {
		r.fail(root.line, "This is the configuration of a plugin, which gets the hosts from another system. Give what "+
			"`ansible-inventory --list` prints.")
		return
	}
	for i, name := range root.keys {
		r.tie(name, root.kids[i], 0)
	}
}

// tie reads a group with its hosts, children and variables, and links it to its parent.
func (r *reader) tie(name string, at *tree, depth int) {
	if r.failed || at == nil || !r.step(depth, at.line) {
		return
	}
	g := r.group(name, at.line)
	if at.kind == null {
		return
	}
	if at.kind != dict {
		r.fail(at.line, "The group %s is not a map with hosts, children or vars.", quote(name))
		return
	}
	for i, key := range at.keys {
		is := at.kids[i]
		switch key {
		case "vars":
			r.variables(is, g.vars, "the group "+name)
		case "hosts":
			r.rows(is, name, func(pattern string, vars *tree, line int) {
				for _, h := range r.host(portless(pattern), g, line) {
					r.variables(vars, h.vars, "the host "+pattern)
				}
			})
		case "children":
			r.rows(is, name, func(child string, in *tree, line int) {
				r.group(child, line)
				g.children[child] = true
				r.tie(child, in, depth+1)
			})
		default:
			if depth == 0 && at.get("hosts") == nil && at.get("children") == nil && at.get("vars") == nil {
				r.fail(at.line, "The group %s has the key %s, but a group of an inventory has only hosts, children and vars.",
					quote(name), quote(key))
				return
			}
		}
	}
}

// rows calls a function for each key of a map, or each word of a list.
func (r *reader) rows(t *tree, group string, each func(name string, value *tree, line int)) {
	if t == nil {
		return
	}
	switch t.kind {
	case null:
	case dict:
		for i, key := range t.keys {
			if !r.failed {
				each(key, t.kids[i], t.line)
			}
		}
	default:
		r.fail(t.line, "The hosts and the children of the group %s are maps: each name is a key, with a colon after it.", quote(group))
	}
}

// variables notes the variables of a host or a group.
func (r *reader) variables(t *tree, into vars, whose string) {
	if t == nil || t.kind != dict {
		return
	}
	for i, name := range t.keys {
		if v := t.kids[i]; v != nil && v.kind == scalar {
			r.set(into, whose, name, v.text, v.vault, v.line)
		}
	}
}

// portless returns the name of a host without its port.
func portless(pattern string) string {
	name, _ := cutPort(pattern)
	return name
}
