package unix

import (
	"path"
	"strings"
)

// The paths of a device are slash-separated on every machine that runs the lab, so this code does not use package filepath.

// absolute makes p absolute. It resolves no links, because the file system does that.
func absolute(dir, p string) string {
	if p == "" || strings.HasPrefix(p, "/") {
		return p
	}
	return strings.TrimSuffix(dir, "/") + "/" + p
}

func parentOf(p string) string { return path.Dir(p) }
func baseOf(p string) string   { return path.Base(p) }

func cleanPath(p string) string { return path.Clean(p) }
