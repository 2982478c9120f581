package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Variables of Ansible: what all hosts have alike is that of the group rocec; hosts that are alike are a group with variables, and one
// without its like has variables of its own.

const (
	ansibleGroup     = "rocec"
	ansibleInventory = "inventory.yml"
	ansibleHeading   = "# Written by rocec build --as ansible. Change the fabric, not this file.\n"
)

// ansibleVars are the variables of a group or a host.
type ansibleVars struct {
	Files    []ansibleFile  `yaml:"rocec_files"`
	Links    []ansibleLink  `yaml:"rocec_links"`
	Settings map[string]any `yaml:"rocec_settings"` // by path: the settings of the file by key
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
var notWord = regexp.MustCompile(`[^A-Za-z0-9]+`)

// ansibleFiles are the inventory and the variables.
func ansibleFiles(groups []*likeHosts) []formFile {
	common := slices.DeleteFunc(slices.Clone(groups[0].files), func(f heldFile) bool {
		return f.to != "" || slices.ContainsFunc(groups, func(g *likeHosts) bool { return !slices.ContainsFunc(g.files, f.equal) })
	})
	var shared struct {
		Files []ansibleFile `yaml:"rocec_common_files"`
	}
	shared.Files = []ansibleFile{}
	for _, f := range common {
		shared.Files = append(shared.Files, f.ansible())
	}
	type members map[string]struct{}
	var inventory struct {
		Group struct {
			Hosts    members                       `yaml:"hosts,omitempty"`
			Children map[string]map[string]members `yaml:"children,omitempty"`
		} `yaml:"rocec"`
	}
	top := &inventory.Group
	top.Hosts, top.Children = members{}, map[string]map[string]members{}
	out := []formFile{{"group_vars/" + ansibleGroup + ".yml", yamlOf(shared)}}
	for _, g := range groups {
		vars := yamlOf(g.ansibleVars(common))
		if len(g.hosts) == 1 {
			top.Hosts[g.first().Name] = struct{}{}
			out = append(out, formFile{"host_vars/" + g.first().Name + ".yml", vars})
			continue
		}
		stem := ansibleGroup + "_" + strings.Trim(notWord.ReplaceAllString(g.name, "_"), "_")
		name := stem
		for n := 2; top.Children[name] != nil; n++ {
			name = fmt.Sprintf("%s_%d", stem, n)
		}
		hosts := members{}
		for _, host := range g.names() {
			hosts[host] = struct{}{}
		}
		top.Children[name] = map[string]members{"hosts": hosts}
		out = append(out, formFile{"group_vars/" + name + ".yml", vars})
	}
	return append(out, formFile{ansibleInventory, yamlOf(inventory)})
}

// ansibleVars are those of hosts that are alike, but for the files that all hosts have.
func (g *likeHosts) ansibleVars(common []heldFile) ansibleVars {
	v := ansibleVars{Files: []ansibleFile{}, Links: []ansibleLink{}, Settings: map[string]any{}}
	for _, f := range g.files {
		switch {
		case f.to != "":
			v.Links = append(v.Links, ansibleLink{f.path, f.to})
		case !slices.ContainsFunc(common, f.equal):
			v.Files = append(v.Files, f.ansible())
		}
	}
	for f := range written(g.first()) {
		if f.Keys == nil {
			continue
		}
		settings := map[string]string{}
		for _, k := range f.Keys(render(g.first(), f)) {
			settings[k.Name] = k.Value
		}
		v.Settings[f.Path] = settings
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
