"""Mail messages (.eml): the headers people look at, the text, and the names of what is attached."""

from towpath.providers.local.mail.reader import read_mail

__all__ = ["read_mail"]
