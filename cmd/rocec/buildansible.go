package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// Variables of Ansible: what all hosts have alike is that of the group rocec; hosts that are alike are a group with variables, and one
// without its like has variables of its own. Switches that others write are likewise in the group rocec_switches, and not in that of the
// hosts, whose tasks are not for them.

const (
	ansibleGroup     = "rocec"
	ansibleSwitches  = "rocec_switches"
	ansibleInventory = "inventory.yml"
	ansibleHeading   = "# Written by rocec build --as ansible. Change the fabric, not this file.\n"
)

// ansibleVars are the variables of a group or a host.
type ansibleVars struct {
	Files    []ansibleFile                `yaml:"rocec_files"`
	Links    []ansibleLink                `yaml:"rocec_links"`
	Settings map[string]map[string]string `yaml:"rocec_settings"` // by path: the settings of the file by key
}

type ansibleFile struct {
	Path    string     `yaml:"path"`
	Mode    string     `yaml:"mode"`
	Content *yaml.Node `yaml:"content"`
}

type ansibleLink struct {
	Path string `yaml:"path"`
	To   string `yaml:"to"`
}

// unsafe is a text in which Ansible looks for no templates.
func unsafe(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!unsafe", Style: yaml.LiteralStyle, Value: text}
}

// notWord is what the name of a group may not hold.
var notWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9]+`) })

// ansibleSwitch are the variables of a group of switches, or of one.
type ansibleSwitch struct {
	Files    []ansibleFile                `yaml:"rocec_files"`
	Settings map[string]map[string]string `yaml:"rocec_settings"` // by path: those of the file by key, also of one that is only ever edited
	Data     map[string]any               `yaml:"rocec_data"`     // those that no file has, where they can be data
}

// ansibleMembers are names of a group.
type ansibleMembers map[string]struct{}

// ansibleTop is a group of the inventory.
type ansibleTop struct {
	Hosts    ansibleMembers                       `yaml:"hosts,omitempty"`
	Children map[string]map[string]ansibleMembers `yaml:"children,omitempty"`
}

// ansibleFiles are the inventory and the variables.
func ansibleFiles(hosts, switches []*likeDevices) (out []formFile) {
	inventory := map[string]*ansibleTop{}
	used := map[string]bool{ansibleGroup: true, ansibleSwitches: true}
	add := func(top string, groups []*likeDevices, vars func(*likeDevices) any) {
		if len(groups) == 0 {
			return
		}
		t := &ansibleTop{Hosts: ansibleMembers{}, Children: map[string]map[string]ansibleMembers{}}
		inventory[top] = t
		for _, g := range groups {
			text := yamlOf(vars(g))
			if len(g.devices) == 1 {
				t.Hosts[g.first().Name] = struct{}{}
				out = append(out, formFile{"host_vars/" + g.first().Name + ".yml", text})
				continue
			}
			stem := top + "_" + strings.Trim(notWord().ReplaceAllString(g.name, "_"), "_")
			name := stem
			for n := 2; used[name]; n++ {
				name = fmt.Sprintf("%s_%d", stem, n)
			}
			used[name] = true
			members := ansibleMembers{}
			for _, one := range g.names() {
				members[one] = struct{}{}
			}
			t.Children[name] = map[string]ansibleMembers{"hosts": members}
			out = append(out, formFile{"group_vars/" + name + ".yml", text})
		}
	}
	if len(hosts) > 0 {
		common := slices.DeleteFunc(slices.Clone(hosts[0].files), func(f heldFile) bool {
			return f.to != "" || slices.ContainsFunc(hosts, func(g *likeDevices) bool { return !slices.ContainsFunc(g.files, f.equal) })
		})
		var shared struct {
			Files []ansibleFile `yaml:"rocec_common_files"`
		}
		shared.Files = []ansibleFile{}
		for _, f := range common {
			shared.Files = append(shared.Files, f.ansible())
		}
		out = append(out, formFile{"group_vars/" + ansibleGroup + ".yml", yamlOf(shared)})
		add(ansibleGroup, hosts, func(g *likeDevices) any { return g.ansibleVars(common) })
	}
	add(ansibleSwitches, switches, func(g *likeDevices) any { return g.ansibleSwitch() })
	return append(out, formFile{ansibleInventory, yamlOf(inventory)})
}

// ansibleSwitch are those of switches that are alike. What is not a whole file is left out of the files.
func (g *likeDevices) ansibleSwitch() ansibleSwitch {
	v := ansibleSwitch{Files: []ansibleFile{}, Settings: settingsByKey(g.first()), Data: settingsData(g.first())}
	for _, f := range g.files {
		if !strings.HasSuffix(f.path, editSuffix) {
			v.Files = append(v.Files, f.ansible())
		}
	}
	return v
}

// ansibleVars are those of hosts that are alike, but for the files that all hosts have.
func (g *likeDevices) ansibleVars(common []heldFile) ansibleVars {
	v := ansibleVars{Files: []ansibleFile{}, Links: []ansibleLink{}, Settings: settingsByKey(g.first())}
	for _, f := range g.files {
		switch {
		case f.to != "":
			v.Links = append(v.Links, ansibleLink{f.path, f.to})
		case !slices.ContainsFunc(common, f.equal):
			v.Files = append(v.Files, f.ansible())
		}
	}
	return v
}

// equal reports whether two files are the same at the same path.
func (f heldFile) equal(g heldFile) bool {
	return f.path == g.path && f.mode == g.mode && f.to == g.to && bytes.Equal(f.data, g.data)
}

func (f heldFile) ansible() ansibleFile {
	return ansibleFile{f.path, fmt.Sprintf("%04o", f.mode), unsafe(string(f.data))}
}

// yamlOf is a document as a file; maps are sorted by key.
func yamlOf(doc any) []byte {
	b := bytes.NewBufferString(ansibleHeading)
	enc := yaml.NewEncoder(b)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		panic(err) // into memory, of types that can be written
	}
	return b.Bytes()
}
