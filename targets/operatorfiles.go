package targets

import (
	"path"

	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/targets/nic/nicoperator"
	"github.com/rocec/rocec/targets/target/lint"
)

// MostObjects returns the size limit of a file with objects of the NIC configuration operator; 0: it has no such object.
func MostObjects(f lint.File) int {
	if nicoperator.Is(f.Data) {
		return nicoperator.MostFile
	}
	return 0
}

// ByNode divides each file with objects of several nodes of Kubernetes, such as the output of `kubectl get nicdevices -A -o yaml`, into a
// file for each node, as if the file were a folder. Objects without a node stay in a file with the name of the whole file.
func ByNode(files []lint.File) (out []lint.File) {
	for _, f := range files {
		if f.Why != "" || !nicoperator.Is(f.Data) {
			out = append(out, f)
			continue
		}
		if why := nicoperator.Refuses(f.Data); why != "" {
			out = append(out, lint.File{Name: f.Name, Why: why})
			continue
		}
		parts, rest := nicoperator.ByNode(f.Data)
		if len(parts) == 0 {
			out = append(out, f)
			continue
		}
		if rest != nil {
			out = append(out, lint.File{Name: f.Name, Data: rest})
		}
		for _, p := range parts {
			out = append(out, lint.File{Name: path.Join(f.Name, diag.Escape(p.Node)+".yaml"), Data: p.Text})
		}
	}
	return out
}
