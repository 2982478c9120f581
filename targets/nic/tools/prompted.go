package tools

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// promptHead is the number of first bytes of a text that are searched for prompts, and promptLine the maximum length of a prompt.
const (
	promptHead = 64 << 10
	promptLine = 300
)

// The letters in names of users and of hosts.
const (
	userLetters = "abcdefghijklmnopqrstuvwxyz0123456789_-"
	hostLetters = userLetters + "ABCDEFGHIJKLMNOPQRSTUVWXYZ."
)

// prompted returns the name of the host in the prompts of texts: "root@gpu1:~# ", "[root@gpu1 ~]# ", "[root@gpu1:~] ". It is empty without
// a prompt, or if prompts have different names.
func prompted(contents map[string][]byte) (name string) {
	for _, file := range slices.Sorted(maps.Keys(contents)) {
		text := contents[file]
		for line := range bytes.Lines(text[:min(len(text), promptHead)]) {
			one := promptHost(string(line[:min(len(line), promptLine)]))
			switch {
			case one == "" || one == name:
			case name != "":
				return ""
			default:
				name = one
			}
		}
	}
	return name
}

// promptHost returns the name of the host in a prompt at the beginning of a line; empty: the line has no such prompt.
func promptHost(line string) string {
	user, rest, ok := strings.Cut(strings.TrimPrefix(line, "["), "@")
	end := strings.IndexAny(rest, ": ]$#")
	if !ok || end <= 0 || user == "" || len(user) > 32 || strings.Trim(user, userLetters) != "" {
		return ""
	}
	host, behind := rest[:end], rest[end:]
	mark := strings.IndexAny(behind, "#$]")
	if mark < 0 || strings.Trim(host, hostLetters) != "" || !strings.HasPrefix(strings.TrimLeft(behind[mark:], "#$]"), " ") {
		return ""
	}
	return host
}
