package keys

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// authorityYears is how long the authority of a ring is valid.
const authorityYears = 10

// makeAuthority makes the authority that signs all certificates of the ring.
func (r *Ring) makeAuthority() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	of := r.template("rocec hub", authorityYears*365*24*time.Hour)
	of.IsCA, of.BasicConstraintsValid, of.MaxPathLenZero = true, true, true
	of.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	return r.sign(authority, of, of, key, key)
}

// Server makes the certificate of the hub's server, for its names and addresses.
func (r *Ring) Server(hosts []string, valid time.Duration) error {
	of := r.template(hosts[0], valid)
	of.KeyUsage, of.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			of.IPAddresses = append(of.IPAddresses, ip)
		} else {
			of.DNSNames = append(of.DNSNames, host)
		}
	}
	return r.issue(serverName, of)
}

// Page makes the certificate by which a person reads the pages of the hub. It returns the paths of certificate and key.
func (r *Ring) Page(name string, valid time.Duration) (cert, key string, err error) {
	of := r.template(name, valid)
	of.KeyUsage, of.ExtKeyUsage = x509.KeyUsageDigitalSignature, []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	file := "page-" + name
	return filepath.Join(r.dir, file+".crt"), filepath.Join(r.dir, file+".key"), r.issue(file, of)
}

// CA returns the path of the authority's certificate.
func (r *Ring) CA() string { return filepath.Join(r.dir, authority+".crt") }

// TLS returns the configuration of a server that shows the certificate of the ring. With mutual, clients show one, too.
func (r *Ring) TLS(mutual bool) (*tls.Config, error) {
	load := func() (tls.Certificate, error) {
		return tls.LoadX509KeyPair(filepath.Join(r.dir, serverName+".crt"), filepath.Join(r.dir, serverName+".key"))
	}
	pair, err := load()
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("the ring has no certificate for the server of the hub: rocecd keys renew server makes one (%w)", err)
	}
	if err != nil {
		return nil, err
	}
	if pair.Leaf != nil && r.now().After(pair.Leaf.NotAfter) {
		return nil, fmt.Errorf("the certificate of the server was valid until %s: rocecd keys renew server makes another one",
			pair.Leaf.NotAfter.Format(time.RFC3339))
	}
	c := &tls.Config{MinVersion: tls.VersionTLS13, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		pair, err := load() // a renewed certificate needs no new start
		return &pair, err
	}}
	if mutual {
		text, err := os.ReadFile(r.CA())
		if err != nil {
			return nil, err
		}
		c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
		c.ClientCAs.AppendCertsFromPEM(text)
	}
	return c, nil
}

func (r *Ring) template(name string, valid time.Duration) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120)) // it never fails
	now := r.now().UTC()
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, NotBefore: now.Add(-5 * time.Minute), NotAfter: now.Add(valid),
	}
}

// issue makes a certificate that the authority signs.
func (r *Ring) issue(file string, of *x509.Certificate) error {
	pair, err := tls.LoadX509KeyPair(filepath.Join(r.dir, authority+".crt"), filepath.Join(r.dir, authority+".key"))
	if err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	signer, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return errors.New("the key of the authority is not for ECDSA")
	}
	return r.sign(file, of, pair.Leaf, key, signer)
}

// sign writes a certificate and its key.
func (r *Ring) sign(file string, of, parent *x509.Certificate, key, signer *ecdsa.PrivateKey) error {
	der, err := x509.CreateCertificate(rand.Reader, of, parent, &key.PublicKey, signer)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		r.write(file+".key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})),
		r.write(file+".crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
}
