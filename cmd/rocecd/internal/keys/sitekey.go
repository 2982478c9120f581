package keys

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/rocec/rocec/cmd/internal/sshsig"
	"github.com/rocec/rocec/cmd/internal/statement"
)

// Dir returns the folder of the ring.
func (r *Ring) Dir() string { return r.dir }

// Write writes a file of a user into the ring, for its owner alone, and returns its path.
func (r *Ring) Write(name string, data []byte) (string, error) {
	return filepath.Join(r.dir, name), r.write(name, data)
}

// SiteKey makes the SSH key by which a site signs its statements and its runs. It keeps a key that the ring has already: what the site
// signed with it stays good. line is the key's line of a file of allowed signers.
func (r *Ring) SiteKey(name string) (file, line string, err error) {
	file = filepath.Join(r.dir, "site-"+name+".key")
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		_, key, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return "", "", err
		}
		block, err := ssh.MarshalPrivateKey(key, statement.SitePrincipal(name))
		if err != nil {
			return "", "", err
		}
		text = pem.EncodeToMemory(block)
		if err := r.write(filepath.Base(file), text); err != nil {
			return "", "", err
		}
	} else if err != nil {
		return "", "", err
	}
	signer, err := ssh.ParsePrivateKey(text)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", file, err)
	}
	key := strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
	return file, fmt.Sprintf("%s namespaces=\"%s,%s\" %s", statement.SitePrincipal(name), sshsig.RoleSite, sshsig.RoleRun, key), nil
}

// Temporary makes credentials that are not in the list of users: a process that has the ring uses them itself.
func (r *Ring) Temporary(name string, role Role, valid time.Duration) (creds []byte, err error) {
	creds, _, err = r.credentials(name, role, valid)
	return creds, err
}

// Hosts returns the names and addresses in the certificate of the server, and until when it is valid.
func (r *Ring) Hosts() (hosts []string, until time.Time, err error) {
	text, err := os.ReadFile(filepath.Join(r.dir, serverName+".crt"))
	if err != nil {
		return nil, until, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, until, fmt.Errorf("%s.crt contains no certificate", serverName)
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, until, err
	}
	hosts = append(hosts, cert.DNSNames...)
	for _, ip := range cert.IPAddresses {
		hosts = append(hosts, ip.String())
	}
	return hosts, cert.NotAfter, nil
}

// Changed returns a text that changes when a user is added or revoked.
func (r *Ring) Changed() (string, error) {
	text, err := os.ReadFile(filepath.Join(r.dir, accountJWT))
	return statement.Sum(text), err
}
