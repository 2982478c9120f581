package unix

import (
	"path"
	"strings"
)

// The paths of a device are slash-separated, whatever machine the lab runs on, so package filepath has no place here.

// absolute makes p absolute without resolving anything: links are the file system's.
func absolute(dir, p string) string {
	if p == "" || strings.HasPrefix(p, "/") {
		return p
	}
	return strings.TrimSuffix(dir, "/") + "/" + p
}

func parentOf(p string) string { return path.Dir(p) }
func baseOf(p string) string   { return path.Base(p) }

func cleanPath(p string) string { return path.Clean(p) }
