"""Object storage: a folder by default, any S3-compatible store when one is set."""

from datetime import timedelta

from obstore.store import LocalStore, ObjectStore, S3Store

from rensai.config import Config

CONNECT = timedelta(seconds=5)
WHOLE_REQUEST = timedelta(seconds=60)


def open_storage(config: Config) -> ObjectStore:
    """The store of this installation; the folder is made when absent."""
    if config.storage_endpoint is None:
        return LocalStore(prefix=config.storage_dir, mkdir=True)
    return S3Store(
        config.storage_bucket,
        endpoint=config.storage_endpoint,
        access_key_id=config.storage_access_key_id or "",
        secret_access_key=config.storage_secret_access_key or "",
        region=config.storage_region,
        virtual_hosted_style_request=not config.storage_force_path_style,
        client_options={
            "allow_http": config.storage_endpoint.startswith("http://"),
            "connect_timeout": CONNECT,
            "timeout": WHOLE_REQUEST,
        },
        retry_config={"max_retries": 2, "retry_timeout": timedelta(seconds=20)},
    )
