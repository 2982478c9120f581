package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/rocec/rocec/cmd/internal/report"
	"github.com/rocec/rocec/targets/deploy"
)

// overlayManifest is the file beside the tars that says which is for whom.
const overlayManifest = "manifest.json"

type overlayDocument struct {
	FormatVersion string       `json:"format_version"`
	Tars          []overlayTar `json:"tars"`
}

// overlayTar is a tar for hosts that are alike, and what it holds in its order.
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
	Link   string `json:"link,omitempty"` // where it leads
}

// overlayFiles are a tar for each group, and the manifest. The same fabric gives the same bytes.
func overlayFiles(groups []*likeDevices) []formFile {
	var out []formFile
	doc := overlayDocument{FormatVersion: report.FormatVersion}
	for _, g := range groups {
		f := formFile{g.name + ".tar", overlayOf(g.files)}
		t := overlayTar{File: f.name, SHA256: deploy.Sum(f.data), Hosts: g.names()}
		for _, h := range g.files {
			if h.to != "" {
				t.Paths = append(t.Paths, overlayPath{Path: h.path, Link: h.to})
			} else {
				t.Paths = append(t.Paths, overlayPath{Path: h.path, Mode: fmt.Sprintf("%04o", h.mode), SHA256: deploy.Sum(h.data)})
			}
		}
		out, doc.Tars = append(out, f), append(doc.Tars, t)
	}
	return append(out, formFile{overlayManifest, indented(doc)})
}

// overlayOf is a tar of files and links, all root's and of the year 1970. It holds no folders: those of the image keep their modes.
func overlayOf(files []heldFile) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		h := &tar.Header{
			Name: strings.TrimPrefix(f.path, "/"), Mode: int64(f.mode), Size: int64(len(f.data)), Linkname: f.to,
			ModTime: time.Unix(0, 0), Typeflag: tar.TypeReg, Format: tar.FormatPAX,
		}
		if f.to != "" {
			h.Typeflag = tar.TypeSymlink
		}
		if err := w.WriteHeader(h); err != nil {
			panic(err) // names and sizes are ours
		}
		w.Write(f.data) //nolint:errcheck // into memory
	}
	w.Close() //nolint:errcheck // into memory
	return b.Bytes()
}
