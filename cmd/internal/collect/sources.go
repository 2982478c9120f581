package collect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rocec/rocec/cmd/internal/devicefiles"
	"github.com/rocec/rocec/cmd/internal/exit"
	"github.com/rocec/rocec/lang/destination"
	"github.com/rocec/rocec/lang/diag"
	"github.com/rocec/rocec/lang/inventory"
	"github.com/rocec/rocec/targets"
	"github.com/rocec/rocec/targets/target"
	"github.com/rocec/rocec/targets/target/lint"
)

// Sources are the sources that a person names.
type Sources struct {
	Files   []*devicefiles.Found
	Fabrics []string         // folders with a fabric: its devices are asked
	Named   []*target.Device // devices to ask, by name, address or inventory
	Notes   []string         // unused entries of an inventory, a line each
}

// mostNamed bounds the devices that are asked.
const mostNamed = 20_000

// SourcesOf finds the kind of each name: a folder with a fabric; a file, folder or archive of device files; an inventory; or a device as
// [user@]host[:port]. The name of an existing file is never a device.
func SourcesOf(names []string) (*Sources, error) {
	s := &Sources{}
	for _, name := range names {
		if err := s.add(name); err != nil {
			return nil, err
		}
	}
	if len(s.Named) > mostNamed {
		return nil, exit.Fail(exit.Usage, "more than %s devices are named", diag.Number(mostNamed))
	}
	seen := map[string]bool{}
	for _, d := range s.Named {
		if seen[d.Name] {
			return nil, exit.Fail(exit.Usage, "%s is named twice", diag.Escape(d.Name))
		}
		seen[d.Name] = true
	}
	return s, nil
}

func (s *Sources) add(name string) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.named(name)
	case err != nil:
		return exit.Fail(exit.Usage, "%v", err)
	case info.IsDir() && hasFabric(name):
		s.Fabrics = append(s.Fabrics, name)
		return nil
	}
	if !info.IsDir() {
		if inv := inventoryOf(name); inv != nil {
			return s.inventory(name, inv)
		}
	}
	found, err := devicefiles.Read([]string{name})
	if err == nil {
		s.Files = append(s.Files, found)
	}
	return err
}

// hasFabric reports whether a folder has a file of HCL.
func hasFabric(dir string) bool {
	all, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*.hcl"))
	return err == nil && len(all) > 0
}

// escapeGlob escapes the characters of a path that are special in a pattern.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// inventoryOf reads an inventory. It returns nil for a file of a device, or any other file. The first line of an inventory must show a
// group, so rocec never dials a word of another text.
func inventoryOf(name string) *inventory.Inventory {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, inventory.MaxFile+1))
	if err != nil {
		return nil
	}
	if _, _, err := targets.Keep(lint.File{Name: filepath.Base(name), Data: data}); err == nil || !inventory.IsGrouped(data) {
		return nil
	}
	inv, ds := inventory.Read(name, data)
	if ds.HasErrors() || inv == nil || len(inv.Hosts) == 0 {
		return nil
	}
	return inv
}

// inventory adds the hosts of an inventory that have an address.
func (s *Sources) inventory(name string, inv *inventory.Inventory) error {
	for _, h := range inv.Hosts {
		if h.Address == "" {
			s.Notes = append(s.Notes, fmt.Sprintf("%s: %s is not asked: rocec does not know its address", diag.Escape(name), diag.Escape(h.Name)))
			continue
		}
		if why := destination.CheckHost(h.Address); why != "" {
			s.Notes = append(s.Notes, fmt.Sprintf("%s: %s is not asked: %s", diag.Escape(name), diag.Escape(h.Name), why))
			continue
		}
		s.Named = append(s.Named, &target.Device{Name: nameOf(h.Name), Login: target.Login{Address: h.Address, User: h.User, Port: h.Port}})
	}
	return nil
}

// named adds a device that a person has named.
func (s *Sources) named(word string) error {
	h, why := destination.Split(word)
	if why == "" {
		why = destination.CheckHost(h.Host)
	}
	if why == "" && h.User != "" {
		why = destination.CheckUser(h.User)
	}
	if why != "" {
		return exit.Fail(exit.Usage, "%s is not a file, a folder or the name of a device: %s", diag.Escape(word), why)
	}
	port, _ := strconv.Atoi(h.Port) // 0: not stated
	s.Named = append(s.Named, &target.Device{Name: nameOf(h.Host), Login: target.Login{Address: h.Host, User: h.User, Port: port}})
	return nil
}
