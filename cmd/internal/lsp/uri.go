package lsp

import (
	"net/url"
	"path"
	"strings"
)

// fileName returns the absolute path, with slashes, of a file: URI. It returns any other URI unchanged, which is not a path.
func fileName(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return uri
	}
	name := path.Clean(u.Path)
	if isDrive(name) {
		name = name[1:]
	}
	if u.Host != "" && u.Host != "localhost" { // a share of another machine
		name = "//" + u.Host + name
	}
	return name
}

// fileURI returns the URI of a file.
func fileURI(name string) string {
	if !isFile(name) {
		return name
	}
	host := ""
	if rest, ok := strings.CutPrefix(name, "//"); ok {
		host, name, _ = strings.Cut(rest, "/")
	}
	u := url.URL{Scheme: "file", Host: host, Path: "/" + strings.TrimPrefix(name, "/")}
	s := u.String()
	if host == "" {
		s = "file://" + u.EscapedPath()
	}
	return s
}

// isFile reports whether a name is a path of a file.
func isFile(name string) bool { return strings.HasPrefix(name, "/") || isDrive("/"+name) }

// isDrive reports whether a path begins like /c:/.
func isDrive(name string) bool {
	return len(name) >= 3 && name[0] == '/' && name[2] == ':' &&
		('a' <= name[1] && name[1] <= 'z' || 'A' <= name[1] && name[1] <= 'Z') && (len(name) == 3 || name[3] == '/')
}
