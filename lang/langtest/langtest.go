// Package langtest has fabrics for tests of all packages: sound fabrics, called backgrounds, and [Weave], which completes an excerpt of
// a fabric from a background. The examples of the manuals and the fixtures of the checks are such excerpts: they contain only the
// relevant lines.
package langtest

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
)

// FabricFile is the file of a background that contains the fabric.
const FabricFile = "fabric.hcl"

//go:embed backgrounds
var backgrounds embed.FS

// Backgrounds returns the names of all backgrounds.
func Backgrounds() []string {
	entries, err := backgrounds.ReadDir("backgrounds")
	if err != nil {
		panic(err) // the folder is embedded
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// Background returns the files of a background by name: [FabricFile], and the files to which it refers.
func Background(name string) (map[string]string, error) {
	dir, err := fs.Sub(backgrounds, "backgrounds/"+name)
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		return nil, fmt.Errorf("no background is called %q: lang/langtest/backgrounds has %s", name, strings.Join(Backgrounds(), ", "))
	}
	files := map[string]string{}
	for _, e := range entries {
		data, err := fs.ReadFile(dir, e.Name())
		if err != nil {
			return nil, err
		}
		files[e.Name()] = string(data)
	}
	return files, nil
}

// want matches a comment of a fixture with a message that rocec must report on its line.
var want = regexp.MustCompile(`# want "((?:[^"\\]|\\.)*)"`)

// Wants returns the wanted messages of a fixture by line, from its comments, as patterns of "code: detail".
func Wants(fixture string) map[int][]*regexp.Regexp {
	out := map[int][]*regexp.Regexp{}
	number := 0
	for line := range strings.Lines(fixture) {
		number++
		for _, m := range want.FindAllStringSubmatch(line, -1) {
			out[number] = append(out[number], regexp.MustCompile(strings.ReplaceAll(m[1], `\"`, `"`)))
		}
	}
	return out
}

// marker matches the first line of a fixture.
var marker = regexp.MustCompile(`\A# background: ([a-z-]+)\n`)

// Complete returns the whole fabric of a fixture. Its first line names the background that completes it, as in "# background: tor". It
// is "# background: none" if the fixture is a complete fabric.
func Complete(fixture string) (*Woven, error) {
	m := marker.FindStringSubmatch(fixture)
	if m == nil {
		return nil, fmt.Errorf(`the first line is not "# background: NAME" with a name of lang/langtest/backgrounds (%s), or with none where `+
			`the file is the whole fabric`, strings.Join(Backgrounds(), ", "))
	}
	if m[1] == "none" {
		w := &Woven{}
		w.own(fixture)
		return w, nil
	}
	files, err := Background(m[1])
	if err != nil {
		return nil, err
	}
	return Weave(fixture, files[FabricFile])
}
