# background: bonds
