"""What libraries add: documents stored, cut into passages, remembered, and searched when that is asked."""
