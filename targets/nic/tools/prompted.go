package tools

import (
	"maps"
	"regexp"
	"slices"
	"sync"
)

// promptHost is the name of a host in the prompt of a shell: "root@gpu1:~# ", "[root@gpu1 ~]# ", "[root@gpu1:~] ".
var promptHost = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\[?[a-z_][a-z0-9_-]{0,31}@([A-Za-z0-9][A-Za-z0-9.-]{0,252})(?:[: ][^#$\]\n]{0,80})?(?:[#$]|\][#$]?) `)
})

// prompted returns the name that the prompts of texts have; empty: they have none, or several.
func prompted(contents map[string][]byte) (name string) {
	for _, file := range slices.Sorted(maps.Keys(contents)) {
		text := contents[file]
		for _, m := range promptHost().FindAllSubmatch(text[:min(len(text), promptHead)], mostPrompts) {
			if one := string(m[1]); name == "" {
				name = one
			} else if one != name {
				return ""
			}
		}
	}
	return name
}

// mostPrompts is how many prompts of a text are compared, and promptHead how many of its first bytes they are in.
const (
	mostPrompts = 100
	promptHead  = 64 << 10
)
