package forms

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/target"
)

// Variables of Ansible. The group rocec has the files that all hosts share. Hosts with equal files are a group with variables; any other
// host has its own variables. Switches written by others are in the group rocec_switches in the same way. They are not in the group of
// the hosts, because its tasks are only for hosts.

const (
	ansibleGroup     = "rocec"
	ansibleSwitches  = "rocec_switches"
	ansibleInventory = "inventory.yml"
	ansibleHeading   = "# Written by rocec build --as ansible. Change the fabric, not this file.\n"
)

// ansibleVars contains the variables of a group or a host.
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

// unsafe returns a text in which Ansible expands no templates.
func unsafe(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!unsafe", Style: yaml.LiteralStyle, Value: text}
}

// notWord matches characters that are not allowed in the name of a group.
var notWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^A-Za-z0-9]+`) })

// ansibleSwitch contains the variables of a group of switches, or of a switch.
type ansibleSwitch struct {
	Files    []ansibleFile                `yaml:"rocec_files"`
	Settings map[string]map[string]string `yaml:"rocec_settings"` // by path and key, also for files that rocec only edits
	Data     map[string]any               `yaml:"rocec_data"`     // settings that are in no file, if the target has them as data
}

// ansibleMembers contains the names of the members of a group.
type ansibleMembers map[string]struct{}

// ansibleTop is a group of the inventory.
type ansibleTop struct {
	Hosts    ansibleMembers                       `yaml:"hosts,omitempty"`
	Children map[string]map[string]ansibleMembers `yaml:"children,omitempty"`
}

// ansible returns the inventory and the variables.
func ansible(_ *ir.Fabric, tree *target.Tree, _ Supplied) Layout {
	hosts, switches := groupAlike(tree, isHost), groupAlike(tree, othersSwitch)
	l := Layout{Hosts: countDevices(hosts), Switches: countDevices(switches)}
	inventory := map[string]*ansibleTop{}
	used := map[string]bool{ansibleGroup: true, ansibleSwitches: true}
	add := func(top string, groups []*group, vars func(*group) any) {
		if len(groups) == 0 {
			return
		}
		t := &ansibleTop{Hosts: ansibleMembers{}, Children: map[string]map[string]ansibleMembers{}}
		inventory[top] = t
		for _, g := range groups {
			text := yamlOf(vars(g))
			if len(g.devices) == 1 {
				t.Hosts[g.first().Name] = struct{}{}
				l.Files = append(l.Files, made("host_vars/"+g.first().Name+".yml", text))
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
			l.Files = append(l.Files, made("group_vars/"+name+".yml", text))
		}
	}
	if len(hosts) > 0 {
		common := slices.DeleteFunc(slices.Clone(hosts[0].entries), func(e entry) bool {
			return e.to != "" || slices.ContainsFunc(hosts, func(g *group) bool { return !slices.ContainsFunc(g.entries, e.equal) })
		})
		var shared struct {
			Files []ansibleFile `yaml:"rocec_common_files"`
		}
		shared.Files = []ansibleFile{}
		for _, e := range common {
			shared.Files = append(shared.Files, ansibleFileOf(e))
		}
		l.Files = append(l.Files, made("group_vars/"+ansibleGroup+".yml", yamlOf(shared)))
		add(ansibleGroup, hosts, func(g *group) any { return hostVars(g, common) })
	}
	add(ansibleSwitches, switches, func(g *group) any { return switchVars(g) })
	l.Files = append(l.Files, made(ansibleInventory, yamlOf(inventory)))
	return l
}

// switchVars returns the variables of equal switches. It leaves out files of which rocec has only an edit.
func switchVars(g *group) ansibleSwitch {
	v := ansibleSwitch{Files: []ansibleFile{}, Settings: settingsByKey(g.first()), Data: settingsData(g.first())}
	for _, e := range g.entries {
		if !strings.HasSuffix(e.path, editSuffix) {
			v.Files = append(v.Files, ansibleFileOf(e))
		}
	}
	return v
}

// hostVars returns the variables of equal hosts, without the files that all hosts share.
func hostVars(g *group, common []entry) ansibleVars {
	v := ansibleVars{Files: []ansibleFile{}, Links: []ansibleLink{}, Settings: settingsByKey(g.first())}
	for _, e := range g.entries {
		switch {
		case e.to != "":
			v.Links = append(v.Links, ansibleLink{e.path, e.to})
		case !slices.ContainsFunc(common, e.equal):
			v.Files = append(v.Files, ansibleFileOf(e))
		}
	}
	return v
}

func ansibleFileOf(e entry) ansibleFile {
	return ansibleFile{e.path, fmt.Sprintf("%04o", e.mode), unsafe(string(e.data))}
}

// yamlOf returns a document as a file; maps are sorted by key.
func yamlOf(doc any) []byte {
	b := bytes.NewBufferString(ansibleHeading)
	enc := yaml.NewEncoder(b)
	enc.SetIndent(2)
	if err := enc.Encode(doc); err != nil {
		panic(err) // written to memory, with types that can be encoded
	}
	return b.Bytes()
}
