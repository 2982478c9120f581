package forms

import (
	"archive/tar"
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/compiler/ir"
	"github.com/rocec/rocec/targets/deploy"
	"github.com/rocec/rocec/targets/target"
)

// overlayManifest is the file that names the hosts of each tar.
const overlayManifest = "manifest.json"

type overlayDocument struct {
	FormatVersion string       `json:"format_version"`
	Tars          []overlayTar `json:"tars"`
}

// overlayTar is a tar for equal hosts, with its entries in order.
type overlayTar struct {
	File   string        `json:"file"`
	SHA256 string        `json:"sha256"`
	Hosts  []string      `json:"hosts"`
	Paths  []overlayPath `json:"paths"`
}

// overlayPath is a file with mode and content, or a symbolic link.
type overlayPath struct {
	Path   string `json:"path"`
	Mode   string `json:"mode,omitempty"` // "0644"
	SHA256 string `json:"sha256,omitempty"`
	Link   string `json:"link,omitempty"` // target of the link
}

// overlay returns a tar for each group of hosts, and the manifest.
func overlay(_ *ir.Fabric, tree *target.Tree, _ Supplied) Layout {
	hosts := groupAlike(tree, isHost)
	l := Layout{Hosts: countDevices(hosts)}
	doc := overlayDocument{FormatVersion: report.FormatVersion}
	for _, g := range hosts {
		name, data := g.name+".tar", tarOf(g.entries)
		t := overlayTar{File: name, SHA256: deploy.Sum(data), Hosts: g.names()}
		for _, e := range g.entries {
			if e.to != "" {
				t.Paths = append(t.Paths, overlayPath{Path: e.path, Link: e.to})
			} else {
				t.Paths = append(t.Paths, overlayPath{Path: e.path, Mode: fmt.Sprintf("%04o", e.mode), SHA256: deploy.Sum(e.data)})
			}
		}
		l.Files, doc.Tars = append(l.Files, made(name, data)), append(doc.Tars, t)
	}
	l.Files = append(l.Files, made(overlayManifest, indented(doc)))
	return l
}

// tarOf returns a tar of files and links, owned by root and dated 1970. It contains no folders, so folders of the image keep their modes.
func tarOf(entries []entry) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{
			Name: strings.TrimPrefix(e.path, "/"), Mode: int64(e.mode), Size: int64(len(e.data)), Linkname: e.to,
			ModTime: time.Unix(0, 0), Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		}
		if e.to != "" {
			h.Typeflag = tar.TypeSymlink
		}
		if err := w.WriteHeader(h); err != nil {
			panic(err) // names and sizes are ours
		}
		w.Write(e.data) //nolint:errcheck // into memory
	}
	w.Close() //nolint:errcheck // into memory
	return b.Bytes()
}
